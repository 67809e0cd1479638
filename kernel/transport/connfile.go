package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// ConnectionFile says where the sockets are and how messages are signed. The
// front end writes it and starts the kernel with its name.
type ConnectionFile struct {
	Transport string // tcp or ipc
	IP        string // an address, * or 0.0.0.0; for ipc the front of a file name
	Shell     int    // ports, 1 to 65535; 0: the kernel chooses, and says which in the file
	Control   int
	Stdin     int
	IOPub     int
	Heartbeat int
	Key       []byte // empty: nothing is signed
	Public    string // CURVE keys in Z85, 40 letters each; both or none
	Secret    string
}

// FileError says what is wrong with a connection file. It never holds the key.
type FileError struct {
	Path, Reason string
}

func (e *FileError) Error() string { return "connection file " + e.Path + ": " + e.Reason }

// Hint returns the advice.
func (e *FileError) Hint() string { return "let Jupyter write the file: it starts this kernel with it" }

// fields has the form of the file. A pointer tells a missing field from an
// empty one.
type fields struct {
	Transport *string `json:"transport"`
	IP        *string `json:"ip"`
	Shell     *int    `json:"shell_port"`
	Control   *int    `json:"control_port"`
	Stdin     *int    `json:"stdin_port"`
	IOPub     *int    `json:"iopub_port"`
	Heartbeat *int    `json:"hb_port"`
	Key       *string `json:"key"`
	Scheme    *string `json:"signature_scheme"`
	Public    string  `json:"curve_publickey"`
	Secret    string  `json:"curve_secretkey"`
}

// maxFile bounds a connection file; a real one has 400 bytes.
const maxFile = 1 << 20

// ReadConnectionFile reads and checks the file at path. Unknown fields are
// ignored.
func ReadConnectionFile(path string) (*ConnectionFile, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Size() > maxFile {
		return nil, &FileError{path, fmt.Sprintf("%d bytes, more than %d", st.Size(), maxFile)}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, reason := parse(b)
	if reason != "" {
		return nil, &FileError{path, reason}
	}
	return f, nil
}

// parse reads the text of a connection file, or says what is wrong with it.
func parse(text []byte) (*ConnectionFile, string) {
	var in fields
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, unreadable(err)
	}
	for _, m := range []struct {
		name    string
		missing bool
	}{
		{"transport", in.Transport == nil}, {"ip", in.IP == nil}, {"key", in.Key == nil},
		{"shell_port", in.Shell == nil}, {"control_port", in.Control == nil}, {"stdin_port", in.Stdin == nil},
		{"iopub_port", in.IOPub == nil}, {"hb_port", in.Heartbeat == nil},
		{"signature_scheme", in.Scheme == nil},
	} {
		if m.missing {
			return nil, "field " + m.name + " is missing"
		}
	}
	if *in.Scheme != "hmac-sha256" && !(*in.Scheme == "" && *in.Key == "") {
		return nil, fmt.Sprintf("signature_scheme is %q; only hmac-sha256 is known", *in.Scheme)
	}
	if *in.Transport != "tcp" && *in.Transport != "ipc" {
		return nil, fmt.Sprintf("transport is %q; tcp and ipc are known", *in.Transport)
	}
	f := &ConnectionFile{
		Transport: *in.Transport, IP: *in.IP,
		Shell: *in.Shell, Control: *in.Control, Stdin: *in.Stdin, IOPub: *in.IOPub, Heartbeat: *in.Heartbeat,
		Key: []byte(*in.Key), Public: in.Public, Secret: in.Secret,
	}
	return f, f.check()
}

// unreadable says why a text has not the form of a connection file.
func unreadable(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return "not valid JSON: " + err.Error()
	case wrong.Field == "":
		return "an object is wanted, got " + wrong.Value
	case wrong.Type.Kind() == reflect.Int:
		return fmt.Sprintf("field %s is to be a whole number, got %s", wrong.Field, wrong.Value)
	}
	return fmt.Sprintf("field %s is to be a text, got %s", wrong.Field, wrong.Value)
}

// z85 are the letters of a CURVE key.
const z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// check says what is wrong with the values of f.
func (f *ConnectionFile) check() string {
	seen := map[int]string{}
	for _, p := range f.ports() {
		switch other := seen[*p.port]; {
		case *p.port < 0 || *p.port > 65535:
			return fmt.Sprintf("%s_port is %d, not between 0 and 65535", p.name, *p.port)
		case *p.port == 0 && f.Transport == "ipc":
			return p.name + "_port is 0; a port can be chosen for tcp only"
		case other != "" && *p.port != 0:
			return fmt.Sprintf("%s_port and %s_port are both %d", other, p.name, *p.port)
		}
		seen[*p.port] = p.name
	}
	switch {
	case f.IP == "":
		return "ip is empty"
	case f.Transport == "tcp" && f.IP != "*" && f.IP != "localhost" && net.ParseIP(f.IP) == nil:
		return fmt.Sprintf("ip is %q, not an address", f.IP)
	case (f.Public == "") != (f.Secret == ""):
		return "curve_publickey and curve_secretkey must be given both or not at all"
	case f.Public != "" && (len(f.Public) != 40 || len(f.Secret) != 40):
		return fmt.Sprintf("CURVE keys have %d and %d letters, not 40", len(f.Public), len(f.Secret))
	case strings.Trim(f.Public+f.Secret, z85) != "":
		return "a CURVE key has a letter that is not one of Z85"
	}
	return ""
}

// named is one of the five ports.
type named struct {
	name   string
	port   *int
	chosen bool // it was left to us
}

// ports lists the five ports in the order in which they are bound.
func (f *ConnectionFile) ports() []named {
	return []named{
		{"shell", &f.Shell, f.Shell == 0}, {"control", &f.Control, f.Control == 0},
		{"stdin", &f.Stdin, f.Stdin == 0}, {"iopub", &f.IOPub, f.IOPub == 0}, {"hb", &f.Heartbeat, f.Heartbeat == 0},
	}
}

// endpoint is the address of port for ZeroMQ; port 0 lets the system choose.
func (f *ConnectionFile) endpoint(port int) string {
	if f.Transport == "ipc" {
		return "ipc://" + f.IP + "-" + strconv.Itoa(port)
	}
	ip := f.IP
	switch {
	case ip == "localhost":
		ip = "127.0.0.1"
	case f.v6():
		ip = "[" + ip + "]"
	}
	if port == 0 {
		return "tcp://" + ip + ":*"
	}
	return "tcp://" + ip + ":" + strconv.Itoa(port)
}

// file is the file that a socket of this port has; empty for tcp.
func (f *ConnectionFile) file(port int) string {
	if f.Transport != "ipc" {
		return ""
	}
	return f.IP + "-" + strconv.Itoa(port)
}

// v6 says whether the address is an IPv6 one.
func (f *ConnectionFile) v6() bool {
	ip := net.ParseIP(f.IP)
	return f.Transport == "tcp" && ip != nil && ip.To4() == nil
}

// writePorts puts the ports that we chose into the file at path, beside
// whatever else stands there.
func writePorts(path string, f *ConnectionFile) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for _, p := range f.ports() {
		all[p.name+"_port"] = json.RawMessage(strconv.Itoa(*p.port))
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ports-*") // mode 0600, as the key deserves
	if err != nil {
		return err
	}
	_, err = tmp.Write(out.Bytes())
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
