package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The reasons why [Session.Decode] refuses frames. Such a message is dropped:
// there is no one to answer.
var (
	ErrShort     = errors.New("message is too short")
	ErrSignature = errors.New("signature does not match")
	ErrRepeated  = errors.New("message was received before")
	ErrHeader    = errors.New("header is not one")
)

// BodyError says that the content of a request does not have the form that its
// type asks for. It becomes an error reply.
type BodyError struct {
	Type string // of the message
	Err  error
}

func (e *BodyError) Error() string {
	var t *json.UnmarshalTypeError
	if errors.As(e.Err, &t) {
		where := "field " + t.Field
		if t.Field == "" {
			where = "content"
		}
		return fmt.Sprintf("%s: %s: %s where %s belongs", e.Type, where, t.Value, kind(t))
	}
	return e.Type + ": content: " + e.Err.Error()
}

func (e *BodyError) Unwrap() error { return e.Err }

// kind is the JSON word for the Go type that a field wanted.
func kind(t *json.UnmarshalTypeError) string {
	switch k := t.Type.Kind().String(); k {
	case "bool":
		return "a boolean"
	case "int", "int64", "float64":
		return "a number"
	case "slice":
		return "a list"
	case "map", "struct":
		return "an object"
	default:
		return "a " + k
	}
}
