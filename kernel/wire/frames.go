package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
)

// delimiter stands between the identities and the message.
var delimiter = []byte("<IDS|MSG>")

// Decode checks and reads the frames
//
//	identities… <IDS|MSG> signature header parent metadata content buffers…
//
// The message shares the frames' memory. The signature is an HMAC-SHA256 over
// the received bytes of the four parts, in lower-case hex. The errors are
// ErrShort, ErrSignature, ErrRepeated and ErrHeader.
func (s *Session) Decode(frames [][]byte) (*Message, error) {
	i := 0
	for i < len(frames) && !bytes.Equal(frames[i], delimiter) {
		i++
	}
	if i+6 > len(frames) {
		return nil, fmt.Errorf("%w: %d frames, delimiter at %d", ErrShort, len(frames), i)
	}
	signature, parts := frames[i+1], frames[i+2:i+6]
	if len(s.Key) > 0 {
		if !hmac.Equal(signature, s.sign(parts)) {
			return nil, ErrSignature
		}
		if s.seen.add(signature) {
			return nil, ErrRepeated
		}
	}
	m := &Message{
		Identities: frames[:i],
		RawHeader:  parts[0], Parent: parts[1], Metadata: parts[2], Content: parts[3],
		Buffers: frames[i+6:],
	}
	if err := readHeader(m.RawHeader, &m.Header); err != nil {
		return nil, err
	}
	return m, nil
}

// readHeader reads what we need of a header: its type. Another field of a wrong
// type is the client's affair, for we only send it back.
func readHeader(raw []byte, h *Header) error {
	var wrong *json.UnmarshalTypeError
	err := json.Unmarshal(raw, h)
	switch {
	case err != nil && (!errors.As(err, &wrong) || wrong.Field == ""):
		return fmt.Errorf("%w: %v", ErrHeader, err)
	case h.MsgType == "":
		return fmt.Errorf("%w: no msg_type", ErrHeader)
	}
	return nil
}

// encode signs and orders the frames of a message of ours.
func (s *Session) encode(front [][]byte, parent json.RawMessage, c Content, buffers [][]byte) ([][]byte, error) {
	header, err := Marshal(s.header(c.Type()))
	if err != nil {
		return nil, err
	}
	content, err := Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Type(), err)
	}
	metadata := []byte("{}")
	if m, ok := c.(interface{ metadata() any }); ok {
		if metadata, err = Marshal(m.metadata()); err != nil {
			return nil, fmt.Errorf("%s: metadata: %w", c.Type(), err)
		}
	}
	if parent == nil {
		parent = json.RawMessage("{}")
	}
	parts := [][]byte{header, valid(parent), metadata, content}
	frames := make([][]byte, 0, len(front)+6+len(buffers))
	frames = append(frames, front...)
	frames = append(frames, delimiter, s.sign(parts))
	frames = append(frames, parts...)
	return append(frames, buffers...), nil
}

// sign is the signature of the four parts: empty without a key.
func (s *Session) sign(parts [][]byte) []byte {
	if len(s.Key) == 0 {
		return []byte{}
	}
	h, _ := s.signs.Get().(hash.Hash)
	if h == nil { // to take in the key costs as much as a short message
		h = hmac.New(sha256.New, s.Key)
	}
	defer s.signs.Put(h)
	h.Reset()
	for _, p := range parts {
		h.Write(p)
	}
	var sum [sha256.Size]byte
	return hex.AppendEncode(make([]byte, 0, 2*len(sum)), h.Sum(sum[:0]))
}
