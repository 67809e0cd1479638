package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// execute answers execute_request: on iopub execute_input, what the cell shows
// in the order in which it was made, one result or one error; then the reply.
//
// The counter goes up by one for a cell that is stored, and the same number
// stands in everything about a cell. A silent cell publishes nothing: an empty
// one is how front ends read the counter.
func (s *Server) execute(ctx context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.ExecuteRequest
	if err := req.Decode(&in); err != nil {
		return s.failure(s.number(false), &engine.CellError{Name: "BodyError", Value: err.Error()}), nil
	}
	c := engine.Cell{ID: s.cell.Add(1), Number: s.number(in.Stores()), Code: in.Code, Silent: in.Silent,
		Expressions: in.UserExpressions}
	if !in.Silent {
		s.publish(req, wire.ExecuteInput{Code: c.Code, ExecutionCount: c.Number})
	}
	k := s.newSink(req, c.Number, in.Silent)
	k.stdin = in.AllowStdin
	out := s.run(ctx, c, k)
	if leaves(c.Code, out.Err) {
		k.Stream(false, c.Code+" ends a console; the kernel of a notebook ends by Kernel, Shut Down\n")
		out = engine.Outcome{Actions: []engine.Action{{Kind: "ask_exit"}}}
	}
	if out.Err == nil {
		out.Err = k.refusal()
	}
	if out.Err != nil {
		k.failed(out.Err)
	}
	result := k.finish()
	s.lostComms(req, out.Err)
	if n := s.dropped.Swap(0); n > 0 && !in.Silent {
		s.publish(req, wire.Stream{Name: "stderr",
			Text: fmt.Sprintf("… %d messages not shown: nobody took them in time\n", n)})
	}
	if in.Stores() {
		s.cfg.History.Add(c.Number, c.Code, result)
	}
	if out.Err != nil {
		if aborts(out.Err, &in) {
			s.abortQueue(fmt.Sprintf("not run: cell [%d] failed", c.Number))
		}
		return s.failure(c.Number, out.Err), nil
	}
	return wire.ExecuteReply{Status: "ok", ExecutionCount: c.Number,
		UserExpressions: expressions(out.Expressions), Payload: payloads(out.Actions)}, nil
}

// leaves says whether a cell is a word by which people leave a console, and
// nothing of the user's has that name.
func leaves(code string, failed *engine.CellError) bool {
	name := strings.TrimSuffix(code, "()")
	return (name == "exit" || name == "quit") && failed != nil && failed.Name == "CompileError" &&
		strings.Contains(failed.Value, "undefined: "+name)
}

// run gives the cell to the engine; a panic of the engine is an error of the
// cell.
func (s *Server) run(ctx context.Context, c engine.Cell, k *sink) (out engine.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("engine panicked", "panic", p, "stack", string(debug.Stack()))
			value := (&internalError{fmt.Sprint(p)}).Error()
			out = engine.Outcome{Err: &engine.CellError{Name: "InternalError", Value: value,
				Traceback: []string{"InternalError: " + value}}}
		}
	}()
	return s.cfg.Engine.Execute(ctx, c, k)
}

// number is the execution count, one higher if a cell is to be counted.
func (s *Server) number(counted bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if counted {
		s.count++
	}
	return s.count
}

// aborts says whether a failed cell takes those that wait behind it along. An
// interrupt and the end of a worker always do.
func aborts(e *engine.CellError, in *wire.ExecuteRequest) bool {
	if e.Name == "Interrupted" || e.Name == "WorkerLost" {
		return true
	}
	return in.StopOnError && !in.Silent
}

// failure is the reply of a cell that failed.
func (s *Server) failure(number int, e *engine.CellError) wire.Content {
	return wire.ExecuteReply{Status: "error", ExecutionCount: number, Payload: []wire.Object{},
		Failure: &wire.Failure{Ename: e.Name, Evalue: e.Value, Traceback: e.Traceback}}
}

// abortedReply is the reply of a cell that was not run. Its status is error:
// newer schemas refuse "aborted".
func (s *Server) abortedReply(why string) wire.Content {
	return s.failure(s.number(false), &engine.CellError{Name: "Aborted", Value: why})
}

// expressions converts the values of user expressions, each with a status of
// its own.
func expressions(in map[string]engine.Expressed) wire.Object {
	out := wire.Object{}
	for key, e := range in {
		if e.Err != nil {
			out[key] = wire.Expressed{Status: "error",
				Failure: &wire.Failure{Ename: e.Err.Name, Evalue: e.Err.Value, Traceback: e.Err.Traceback}}
			continue
		}
		d, m := clean(data(e.Bundle), metadata(e.Bundle))
		out[key] = wire.Expressed{Status: "ok", Data: &d, Metadata: &m}
	}
	return out
}

// payloads converts the actions that a front end fulfils; the process around
// the engine has done the others.
func payloads(actions []engine.Action) []wire.Object {
	out := []wire.Object{}
	for _, a := range actions {
		switch a.Kind {
		case "page":
			out = append(out, wire.Object{"source": "page", "start": 0, "data": wire.Object{"text/plain": a.Text}})
		case "ask_exit":
			out = append(out, wire.Object{"source": "ask_exit", "keepkernel": false})
		case "set_next_input":
			out = append(out, wire.Object{"source": "set_next_input", "text": a.Text, "replace": false})
		}
	}
	return out
}
