package enginetest

import (
	"context"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Script makes the play of a cell from a text, one step a line:
//
//	stdout TEXT · stderr TEXT     text as it stands, or a quoted Go string
//	display TEXT · display#ID TEXT · update#ID TEXT · clear · clear wait
//	result TEXT
//	name NAME KIND TYPE           enters the outcome
//	gone NAME                     was forgotten
//	expression KEY TEXT · action KIND TEXT
//	wait                          until the cell is stopped: error Interrupted
//	sleep DURATION                or until the cell is stopped
//	error NAME: VALUE             ends the cell
//	late                          what follows comes when the cell has ended
//
// It panics on a step that it does not know: a wrong script is a wrong test.
func Script(script string) func(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome {
	var steps [][2]string
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			op, arg, _ := strings.Cut(line, " ")
			if strings.HasPrefix(arg, `"`) {
				arg = unquote(arg)
			}
			steps = append(steps, [2]string{op, arg})
		}
	}
	return func(ctx context.Context, c engine.Cell, s engine.Sink) (out engine.Outcome) {
		for i, st := range steps {
			if st[0] == "late" {
				go func() {
					<-ctx.Done() // the engine ends it with the cell
					for _, st := range steps[i+1:] {
						put(st[0], st[1], s)
					}
				}()
				return out
			}
			if step(ctx, st[0], st[1], c, s, &out) {
				return out
			}
		}
		return out
	}
}

// step plays one step; true ends the cell.
func step(ctx context.Context, op, arg string, c engine.Cell, s engine.Sink, out *engine.Outcome) bool {
	first, rest, _ := strings.Cut(arg, " ")
	switch op {
	case "name":
		kind, typ, _ := strings.Cut(rest, " ")
		out.Names = append(out.Names, engine.Name{Name: first, Kind: kind, Type: typ, Cell: c.Number})
	case "gone":
		out.Gone = append(out.Gone, arg)
	case "expression":
		if out.Expressions == nil {
			out.Expressions = map[string]engine.Expressed{}
		}
		out.Expressions[first] = engine.Expressed{Bundle: text(rest)}
	case "action":
		out.Actions = append(out.Actions, engine.Action{Kind: first, Text: rest})
	case "error":
		name, value, _ := strings.Cut(arg, ": ")
		out.Err = failure(name, value)
		return true
	case "wait", "sleep":
		var after <-chan time.Time
		if op == "sleep" {
			d, err := time.ParseDuration(arg)
			if err != nil {
				panic("enginetest: " + err.Error())
			}
			after = time.After(d)
		}
		select {
		case <-ctx.Done():
			out.Err = failure("Interrupted", "stopped")
			return true
		case <-after:
		}
	case "result":
		if !c.Silent {
			s.Result(text(arg))
		}
	default:
		put(op, arg, s)
	}
	return false
}

// put plays a step that only puts something out.
func put(op, arg string, s engine.Sink) {
	op, id, _ := strings.Cut(op, "#")
	switch op {
	case "stdout", "stderr":
		s.Stream(op == "stderr", arg)
	case "display", "update":
		s.Display(engine.Display{Bundle: text(arg), ID: id, Update: op == "update"})
	case "clear":
		s.Clear(arg == "wait")
	default:
		panic("enginetest: no step " + op)
	}
}
