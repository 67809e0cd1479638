package transport

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file is a connection file as a front end writes it.
func file(change func(map[string]any)) []byte {
	f := map[string]any{
		"transport": "tcp", "ip": "127.0.0.1", "key": "s3cr3t", "signature_scheme": "hmac-sha256",
		"shell_port": 1, "control_port": 2, "stdin_port": 3, "iopub_port": 4, "hb_port": 5,
		"kernel_name": "unknown fields are ignored",
	}
	change(f)
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return b
}

func TestConnectionFile(t *testing.T) {
	set := func(key string, v any) []byte { return file(func(f map[string]any) { f[key] = v }) }
	z85 := strings.Repeat("a", 40)
	notZ85 := strings.Repeat("a", 39) + "~"
	for _, tt := range []struct {
		name string
		text []byte
		want string // a part of the reason; empty: good
	}{
		{"good", file(func(map[string]any) {}), ""},
		{"any address", set("ip", "*"), ""},
		{"v6", set("ip", "::1"), ""},
		{"ipc", file(func(f map[string]any) { f["transport"], f["ip"] = "ipc", "/tmp/kernel" }), ""},
		{"no key, no scheme", file(func(f map[string]any) { f["key"], f["signature_scheme"] = "", "" }), ""},
		{"ports left to us", file(func(f map[string]any) { f["shell_port"], f["hb_port"] = 0, 0 }), ""},
		{"both CURVE keys", file(func(f map[string]any) { f["curve_publickey"], f["curve_secretkey"] = z85, z85 }), ""},
		{"not JSON", []byte("{"), "not valid JSON: unexpected end"},
		{"a list", []byte("[]"), "an object is wanted, got array"},
		{"port is text", set("shell_port", "1"), "field shell_port is to be a whole number, got string"},
		{"port is a fraction", set("shell_port", 1.5), "field shell_port is to be a whole number, got number 1.5"},
		{"key is a number", set("key", 3), "field key is to be a text, got number"},
		{"port too high", set("stdin_port", 65536), "stdin_port is 65536"},
		{"port negative", set("hb_port", -1), "hb_port is -1"},
		{"two alike", set("control_port", 1), "shell_port and control_port are both 1"},
		{"scheme", set("signature_scheme", "hmac-md5"), `signature_scheme is "hmac-md5"`},
		{"transport", set("transport", "udp"), `transport is "udp"`},
		{"ip", set("ip", "example.org"), `ip is "example.org"`},
		{"one CURVE key", set("curve_secretkey", z85), "both or not at all"},
		{"short CURVE keys", file(func(f map[string]any) { f["curve_publickey"], f["curve_secretkey"] = "a", "b" }),
			"1 and 1 letters"},
		{"no CURVE keys", file(func(f map[string]any) { f["curve_publickey"], f["curve_secretkey"] = notZ85, z85 }),
			"not one of Z85"},
		{"ipc without port", file(func(f map[string]any) { f["transport"], f["iopub_port"] = "ipc", 0 }), "iopub_port is 0"},
	} {
		f, reason := parse(tt.text)
		if (tt.want == "") != (reason == "") || !strings.Contains(reason, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, reason, tt.want)
		}
		if strings.Contains(reason, "s3cr3t") {
			t.Errorf("%s: the key is in %q", tt.name, reason)
		}
		if reason == "" && (f.Control != 2 || f.Stdin != 3 || f.IOPub != 4) {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
	for _, field := range []string{"transport", "ip", "key", "signature_scheme", "shell_port", "control_port",
		"stdin_port", "iopub_port", "hb_port"} {
		_, reason := parse(file(func(f map[string]any) { delete(f, field) }))
		if reason != "field "+field+" is missing" {
			t.Errorf("without %s: %q", field, reason)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, tt := range []struct {
		transport, ip string
		port          int
		want          string
	}{
		{"tcp", "127.0.0.1", 5, "tcp://127.0.0.1:5"},
		{"tcp", "localhost", 5, "tcp://127.0.0.1:5"},
		{"tcp", "*", 5, "tcp://*:5"},
		{"tcp", "::1", 5, "tcp://[::1]:5"},
		{"tcp", "127.0.0.1", 0, "tcp://127.0.0.1:*"},
		{"ipc", "/tmp/k", 5, "ipc:///tmp/k-5"},
	} {
		f := &ConnectionFile{Transport: tt.transport, IP: tt.ip}
		if got := f.endpoint(tt.port); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// The ports are written beside what else is in the file.
func TestWritePorts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, file(func(f map[string]any) { f["hb_port"] = 0 }), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadConnectionFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Heartbeat = 77
	if err := writePorts(path, f); err != nil {
		t.Fatal(err)
	}
	again, err := ReadConnectionFile(path)
	if err != nil || fmt.Sprintf("%d %d %s", again.Heartbeat, again.Shell, again.Key) != "77 1 s3cr3t" {
		t.Errorf("%+v, %v", again, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "unknown fields") {
		t.Errorf("unknown fields are lost: %s, %v", text, err)
	}
}

func FuzzConnFile(f *testing.F) {
	f.Add(file(func(map[string]any) {}))
	f.Add([]byte(`{"transport":"ipc","ip":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, reason := parse(text)
		if (c == nil || c.check() != reason) && reason == "" {
			t.Fatalf("accepted without a reason: %+v", c)
		}
		if reason != "" {
			return
		}
		for _, p := range c.ports() {
			if *p.port < 0 || *p.port > 65535 || c.endpoint(*p.port) == "" {
				t.Fatalf("port %s is %d", p.name, *p.port)
			}
		}
	})
}
