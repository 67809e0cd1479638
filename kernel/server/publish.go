package server

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// publish sends c on iopub, caused by parent. It is the only writer of iopub
// and never waits.
func (s *Server) publish(parent *wire.Message, c wire.Content, buffers ...[]byte) {
	frames, err := s.cfg.Session.Publish(parent, c, buffers...)
	if err != nil {
		s.log.Warn("publication does not encode", "type", c.Type(), "err", err)
		if frames, err = s.cfg.Session.Publish(parent, encodable(c)); err != nil {
			s.log.Error("publication is lost", "type", c.Type(), "err", err)
			return
		}
	}
	if !s.out.Publish(frames) {
		s.dropped.Add(1)
	}
}

// encodable is c without the formats that JSON cannot hold (NaN, a channel, a
// value that refuses), with a line in its text that says so.
func encodable(c wire.Content) wire.Content {
	switch c := c.(type) {
	case wire.DisplayData:
		c.Data, c.Metadata = clean(c.Data, c.Metadata)
		return c
	case wire.ExecuteResult:
		c.Data, c.Metadata = clean(c.Data, c.Metadata)
		return c
	}
	return c
}

func clean(data, meta wire.Object) (wire.Object, wire.Object) {
	out, text := wire.Object{}, ""
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		if _, err := wire.Marshal(data[mime]); err != nil {
			text += fmt.Sprintf("\n(%s is not shown: %v)", mime, err)
			continue
		}
		out[mime] = data[mime]
	}
	if _, err := wire.Marshal(meta); err != nil {
		meta = nil
		text += fmt.Sprintf("\n(metadata is left out: %v)", err)
	}
	plain, _ := out["text/plain"].(string)
	out["text/plain"] = plain + text
	return out, meta
}

// data and metadata of b as objects of the protocol.
func data(b display.Bundle) wire.Object     { return wire.Object(b.Data) }
func metadata(b display.Bundle) wire.Object { return wire.Object(b.Meta) }
