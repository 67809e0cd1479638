package server

import (
	"context"
	"encoding/json"

	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// commOpen answers comm_open. The comm by which a page asks for the states of
// all widgets is the server's own; others are the session's. The protocol's
// answer to an unknown target is a comm_close, on iopub like every message of a
// comm.
func (s *Server) commOpen(ctx context.Context, req *wire.Message) (wire.Content, error) {
	m, err := fromFront(req, comm.Open)
	if err != nil {
		return nil, err
	}
	if err = s.comms.open(m); err == nil { // first: its handler may say something of its state
		if m.Target == controlTarget || s.callback(ctx, req, m) {
			return nil, nil
		}
		s.comms.close(m.ID)
	}
	s.publish(req, wire.CommClose{CommID: m.ID})
	return nil, err
}

// commMsg takes a message of an open comm; of another it is ignored. The mirror
// comes first and the echo second, so that other pages follow; then the
// session's callback, with all that it shows before the idle. Without that idle
// a page would send no further change.
func (s *Server) commMsg(ctx context.Context, req *wire.Message) (wire.Content, error) {
	m, err := fromFront(req, comm.Data)
	if err != nil {
		return nil, err
	}
	known, err := s.comms.update(m)
	if !known || err != nil {
		return nil, err
	}
	target, orphan, _ := s.comms.of(m.ID)
	if c := readChange(m.Data); target == widgetTarget && c.Method == "update" {
		c.Method = "echo_update"
		s.publish(req, commContent(engine.CommMessage{Kind: comm.Data, ID: m.ID, Data: object(c)}), m.Buffers...)
	}
	if !orphan && target != controlTarget {
		s.callback(ctx, req, m)
	}
	return nil, nil
}

// commClose takes the end of a comm.
func (s *Server) commClose(ctx context.Context, req *wire.Message) (wire.Content, error) {
	m, err := fromFront(req, comm.Close)
	if err != nil {
		return nil, err
	}
	target, orphan, known := s.comms.of(m.ID)
	if !known {
		return nil, nil
	}
	s.comms.close(m.ID)
	if !orphan && target != controlTarget {
		s.callback(ctx, req, m)
	}
	return nil, nil
}

// commState answers the two questions of a page that is loaded, from the mirror
// and so also beside a running cell: request_state for one widget,
// request_states for all.
func (s *Server) commState(_ context.Context, req *wire.Message) (wire.Content, error) {
	m, err := fromFront(req, comm.Data)
	if err != nil {
		return nil, err
	}
	reply := engine.CommMessage{Kind: comm.Data, ID: m.ID}
	target, _, known := s.comms.of(m.ID)
	switch {
	case !known:
		return nil, nil
	case target == controlTarget:
		states, paths, buffers := s.comms.all()
		reply.Data, reply.Buffers = object(wire.Object{"method": "update_states", "states": states,
			"buffer_paths": paths}), buffers
	default:
		c, buffers, ok := s.comms.whole(m.ID)
		if !ok {
			return nil, nil
		}
		reply.Data, reply.Buffers = object(c), buffers
	}
	s.publish(req, commContent(reply), reply.Buffers...)
	return nil, nil
}

// asksForState says whether a comm_msg is one of commState's. It is asked by the
// owner of the socket, so large messages are not looked into.
func asksForState(req *wire.Message) bool {
	if req.Header.MsgType != "comm_msg" || len(req.Content) > smallComm {
		return false
	}
	var in wire.CommMessage
	if json.Unmarshal(req.Content, &in) != nil {
		return false
	}
	method := readChange(in.Data).Method
	return method == "request_state" || method == "request_states"
}

// commInfo answers comm_info_request, at once and from the mirror.
func (s *Server) commInfo(_ context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.CommInfoRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	comms := wire.Object{}
	for id, target := range s.comms.targets(in.TargetName) {
		comms[id] = wire.Object{"target_name": target}
	}
	return wire.CommInfoReply{Status: "ok", Comms: comms}, nil
}

// callback gives a message to the session and publishes what it shows under the
// message's header. It says whether the session has the comm.
func (s *Server) callback(ctx context.Context, req *wire.Message, m engine.CommMessage) bool {
	c := engine.Cell{ID: s.cell.Add(1), Number: s.number(false), Comm: &m}
	k := s.newSink(req, c.Number, false)
	out := s.run(ctx, c, k)
	if out.Err != nil && out.Err.Name == engine.NoComm {
		return false
	}
	if out.Err == nil {
		out.Err = k.refusal()
	}
	if out.Err != nil {
		k.failed(out.Err)
	}
	k.finish()
	s.lostComms(req, out.Err)
	return true
}

// lostComms looks after the comms of a worker that has ended under a cell.
func (s *Server) lostComms(req *wire.Message, e *engine.CellError) {
	if e != nil && e.Name == "WorkerLost" {
		s.forgetComms(req)
	}
}

// forgetComms shows the controls that nobody is behind any more as not in use.
// Their comms stay open: to close them would take the last picture from the
// page.
func (s *Server) forgetComms(req *wire.Message) {
	for _, id := range s.comms.orphans() {
		s.publish(req, commContent(engine.CommMessage{Kind: comm.Data, ID: id, Data: object(change{Method: "update",
			State: map[string]json.RawMessage{"disabled": json.RawMessage("true")}, Paths: [][]any{}})}))
	}
}

// Comm implements engine.CommSink: the mirror takes the message before the
// front end does, and one above its limits reaches neither and fails the cell.
func (k *sink) Comm(m engine.CommMessage) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	switch m.Kind {
	case comm.Lost:
		k.flush()
		k.s.forgetComms(k.req)
		return nil
	case comm.Open:
		err = k.s.comms.open(m)
	case comm.Close:
		k.s.comms.close(m.ID)
	default:
		_, err = k.s.comms.update(m)
	}
	if err != nil {
		if k.refused == nil {
			k.refused = &engine.CellError{Name: "CommError", Value: err.Error(), Traceback: []string{"CommError: " + err.Error()}}
		}
		return err
	}
	if k.waits(m) {
		return nil
	}
	k.flush()
	k.s.publish(k.req, commContent(m), m.Buffers...)
	return nil
}

// refusal is the error of a cell of which a message was not let out.
func (k *sink) refusal() *engine.CellError {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused
}

// fromFront reads a message of the front end.
func fromFront(req *wire.Message, kind string) (engine.CommMessage, error) {
	var in wire.CommMessage
	if err := req.Decode(&in); err != nil {
		return engine.CommMessage{}, err
	}
	return engine.CommMessage{Kind: kind, ID: in.CommID, Target: in.TargetName, Data: in.Data, Meta: json.RawMessage(req.Metadata),
		Buffers: req.Buffers}, nil
}

// commContent is a message as it goes out.
func commContent(m engine.CommMessage) wire.CommContent {
	return wire.CommContent{Kind: m.Kind, CommID: m.ID, Target: m.Target, Data: m.Data, Meta: m.Meta}
}

// object writes what always can be written.
func object(v any) json.RawMessage {
	b, err := wire.Marshal(v)
	if err != nil {
		panic("server: state of a comm: " + err.Error())
	}
	return b
}
