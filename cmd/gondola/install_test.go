package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/install"
)

// ownBinary is the command as a file of its own, outside the folder that go
// test builds in, and a home for it.
func ownBinary(t *testing.T) (binary, home string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(t.TempDir(), "gondola")
	if os.Link(self, binary) == nil {
		return binary, t.TempDir()
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err == nil {
		err = to.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return binary, t.TempDir()
}

// Each form of install in a home of its own: the folder, its modes whatever the
// umask, the list, and uninstall, which takes back this kernel only.
func TestInstallForms(t *testing.T) {
	binary, _ := ownBinary(t)
	for _, tt := range []struct {
		name string
		env  []string // ~ stands for the home
		args []string
		want string // folder of the kernelspecs
	}{
		{"user", nil, []string{"--user"}, "~/.local/share/jupyter/kernels"},
		{"user by default", nil, nil, "~/.local/share/jupyter/kernels"},
		{"XDG", []string{"XDG_DATA_HOME=~/x"}, nil, "~/x/jupyter/kernels"},
		{"JUPYTER_DATA_DIR", []string{"JUPYTER_DATA_DIR=~/j", "XDG_DATA_HOME=~/x"}, nil, "~/j/kernels"},
		{"venv by default", []string{"VIRTUAL_ENV=~/v"}, nil, "~/v/share/jupyter/kernels"},
		{"user in a venv", []string{"VIRTUAL_ENV=~/v"}, []string{"--user"}, "~/.local/share/jupyter/kernels"},
		{"conda", []string{"CONDA_PREFIX=~/c ä"}, []string{"--sys-prefix"}, "~/c ä/share/jupyter/kernels"},
		{"python's prefix", []string{"PATH=~/bin"}, []string{"--sys-prefix"}, "~/py/share/jupyter/kernels"},
		{"prefix", nil, []string{"--prefix", "some where"}, "~/some where/share/jupyter/kernels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			os.Mkdir(filepath.Join(home, "bin"), 0o755)
			os.WriteFile(filepath.Join(home, "bin", "python3"), []byte("#!/bin/sh\necho "+home+"/py\n"), 0o755)
			run := func(args ...string) (string, int) {
				c := exec.Command("/bin/sh", append([]string{"-c", `umask 077; exec "$0" "$@"`, binary}, args...)...)
				c.Dir, c.Env = home, []string{asMain + "=1", "HOME=" + home, "PATH=" + os.Getenv("PATH")}
				for _, e := range tt.env {
					c.Env = append(c.Env, strings.ReplaceAll(e, "~", home))
				}
				out, _ := c.CombinedOutput() // the status is looked at
				return string(out), c.ProcessState.ExitCode()
			}
			dir := filepath.Join(strings.ReplaceAll(tt.want, "~", home), "gondola")
			for range 2 { // the second replaces the first
				if out, code := run(append([]string{"install", "--env", "A=b c"}, tt.args...)...); code != 0 ||
					out != "installed "+dir+"\n" {
					t.Fatalf("code %d, %q, want %s", code, out, dir)
				}
			}
			checkSpec(t, dir, binary)
			for d := dir; d != home; d = filepath.Dir(d) {
				if st, err := os.Stat(d); err != nil || st.Mode().Perm() != 0o755 {
					t.Errorf("%s has mode %v, %v", d, st.Mode(), err)
				}
			}
			listed := tt.name != "prefix" // a prefix by hand is known to nobody
			if out, _ := run("list"); strings.Contains(out, dir) != listed {
				t.Errorf("list: %q", out)
			}
			foreign := filepath.Join(filepath.Dir(dir), "other")
			os.Mkdir(foreign, 0o755)
			os.WriteFile(filepath.Join(foreign, "kernel.json"), []byte(`{"argv": ["python", "-f", "{connection_file}"]}`), 0o644)
			for _, verb := range []string{"install", "uninstall"} {
				if out, code := run(append([]string{verb, "--name", "other"}, tt.args...)...); code != 1 ||
					!strings.Contains(out, "kernelspec was written by another program: "+foreign) {
					t.Errorf("%s of another's: code %d, %s", verb, code, out)
				}
			}
			if out, code := run(append([]string{"uninstall"}, tt.args...)...); code != 0 || out != "removed "+dir+"\n" {
				t.Errorf("uninstall: code %d, %s", code, out)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("uninstall leaves the folder")
			}
			if out, code := run(append([]string{"uninstall"}, tt.args...)...); code != 1 || !strings.Contains(out, "no such kernelspec") {
				t.Errorf("uninstall again: code %d, %s", code, out)
			}
		})
	}
}

func checkSpec(t *testing.T, dir, binary string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var k struct {
		Argv     []string
		Language string
		Mode     string `json:"interrupt_mode"`
		Env      map[string]string
		Metadata struct {
			Debugger   bool
			Encryption []string `json:"supported_encryption"`
		}
		Protocol any `json:"kernel_protocol_version"`
	}
	if err := json.Unmarshal(data, &k); err != nil || strings.Join(k.Argv, "|") !=
		binary+"|kernel|-f|{connection_file}" || k.Language != "go" || k.Mode != "message" || k.Env["A"] != "b c" ||
		len(k.Metadata.Encryption) != 1 || k.Protocol != nil {
		t.Errorf("%v: %s", err, data)
	}
	for _, logo := range []string{"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"} {
		if st, err := os.Stat(filepath.Join(dir, logo)); err != nil || st.Size() == 0 || st.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v", logo, err)
		}
	}
}

// What must not stand in a kernelspec is refused before anything is written.
func TestInstallRefused(t *testing.T) {
	binary, home := ownBinary(t)
	self, _ := os.Executable()
	t.Setenv("HOME", home)
	for _, tt := range []struct {
		binary, env string
		args        []string
		code        int
		says        string
	}{
		{self, "", []string{"--user"}, 1, "is in a temporary folder (build it first: make build)"},
		{binary, "", []string{"--user", "--system"}, 2, "exclude each other"},
		{binary, "", []string{"--sys-prefix", "--prefix", "x"}, 2, "exclude each other"},
		{binary, "", []string{"--name", "a b"}, 2, "use letters, digits"},
		{binary, "", []string{"--prefix", "/proc/none"}, 1, "choose a folder that can be written"},
		{binary, "", []string{"--prefix", binary}, 1, "choose a folder that can be written"},
		{binary, "PATH=/nowhere", []string{"--sys-prefix"}, 1, "python3 did not tell its prefix"},
		{binary, "HOME=", []string{"--user"}, 1, "set HOME, or use --prefix"},
	} {
		c := exec.Command(tt.binary, append([]string{"install"}, tt.args...)...)
		c.Dir, c.Env = home, []string{asMain + "=1", "HOME=" + home, "PATH=" + os.Getenv("PATH"), tt.env}
		out, _ := c.CombinedOutput() // the status is looked at
		if code := c.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.says) ||
			strings.Count(string(out), "\n") != 1 {
			t.Errorf("%v: code %d, want %d; %s, want %q", tt.args, code, tt.code, out, tt.says)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, "*")); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
	if dir, err := install.Dir(install.System, "", os.Getenv); err != nil || dir != "/usr/local/share/jupyter/kernels" {
		t.Errorf("--system: %s, %v", dir, err)
	}
}

// An install that another of the same name hides from Jupyter says so.
func TestInstallHidden(t *testing.T) {
	binary, home := ownBinary(t)
	run := func(args ...string) string {
		c := exec.Command(binary, args...)
		c.Env = []string{asMain + "=1", "HOME=" + home, "PATH=" + os.Getenv("PATH"), "VIRTUAL_ENV=" + home + "/v"}
		out, _ := c.CombinedOutput() // the text is looked at
		return string(out)
	}
	user := filepath.Join(home, ".local/share/jupyter/kernels/gondola")
	if out := run("install"); strings.Count(out, "\n") != 1 {
		t.Error(out)
	}
	if out := run("install", "--user"); !strings.Contains(out,
		"note: "+home+"/v/share/jupyter/kernels/gondola comes first where Jupyter looks") {
		t.Error(out)
	}
	os.Remove(binary)
	t.Setenv("HOME", home)
	t.Setenv("JUPYTER_DATA_DIR", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("JUPYTER_PATH", "")
	if f := findSpecs(); f.OK || f.Text != user+" starts "+binary+", which is gone" || f.Cure == "" {
		t.Errorf("the doctor on a binary that is gone: %+v", f)
	}
}
