package kerneltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Spec is an installed kernelspec.
type Spec struct {
	Dir         string            `json:"-"` // the folder of kernel.json
	Argv        []string          `json:"argv"`
	DisplayName string            `json:"display_name"`
	Language    string            `json:"language"`
	Interrupt   string            `json:"interrupt_mode"`
	Env         map[string]string `json:"env"`
}

// FindSpec finds the kernelspec of a name in the folders where Jupyter looks;
// a name with a slash is a kernel.json or its folder.
func FindSpec(name string) (Spec, error) {
	if strings.ContainsRune(name, '/') {
		return readSpec(strings.TrimSuffix(name, "/kernel.json"))
	}
	for _, d := range dataDirs() {
		s, err := readSpec(filepath.Join(d, "kernels", name))
		if !errors.Is(err, os.ErrNotExist) {
			return s, err
		}
	}
	return Spec{}, fmt.Errorf("no kernelspec %q in %s", name, strings.Join(dataDirs(), ", "))
}

// dataDirs lists Jupyter's data folders, the first that has a spec wins.
func dataDirs() []string {
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	home, _ := os.UserHomeDir()
	if d := os.Getenv("JUPYTER_DATA_DIR"); d != "" {
		dirs = append(dirs, d)
	} else {
		dirs = append(dirs, filepath.Join(home, ".local/share/jupyter"))
	}
	for _, e := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(e); p != "" {
			dirs = append(dirs, filepath.Join(p, "share/jupyter"))
		}
	}
	if out, err := exec.Command("python3", "-c", "import sys; print(sys.prefix)").Output(); err == nil {
		dirs = append(dirs, filepath.Join(strings.TrimSpace(string(out)), "share/jupyter"))
	}
	return append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

func readSpec(dir string) (Spec, error) {
	s := Spec{Dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s: %w", dir, err)
	}
	if len(s.Argv) == 0 {
		return s, fmt.Errorf("%s: argv is empty", dir)
	}
	// A spec inside a virtual environment says "python" and means that one's.
	python := filepath.Join(dir, "../../../../bin", s.Argv[0])
	if _, err := os.Stat(python); err == nil && strings.HasPrefix(s.Argv[0], "python") {
		s.Argv[0] = python
	}
	return s, nil
}

// Peer is a kernel that was started here.
type Peer struct {
	Conn    Connection
	File    string // the connection file
	Started time.Time

	dir  string
	cmd  *exec.Cmd
	exit chan struct{} // closed when the process has ended
}

// Start writes a connection file and starts the kernel of spec with it, in a
// process group of its own. What it prints goes to log.
func Start(spec Spec, log io.Writer, env ...string) (*Peer, error) {
	conn, err := NewConnection()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gondola-peer-")
	if err != nil {
		return nil, err
	}
	p := &Peer{Conn: conn, File: filepath.Join(dir, "connection.json"), dir: dir, exit: make(chan struct{})}
	if err := conn.Write(p.File); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	var argv []string
	for _, a := range spec.Argv {
		a = strings.ReplaceAll(a, "{connection_file}", p.File)
		argv = append(argv, strings.ReplaceAll(a, "{resource_dir}", spec.Dir))
	}
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Env = os.Environ()
	for k, v := range spec.Env {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = 2 * time.Second // a grandchild may keep the pipes
	p.Started = time.Now()
	if err := p.cmd.Start(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	go func() {
		p.cmd.Wait() // Exit has the status
		close(p.exit)
	}()
	return p, nil
}

// PID is the process id of the kernel.
func (p *Peer) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to the kernel alone.
func (p *Peer) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Exit waits for the end of the process and gives its status; −1 if a signal
// ended it.
func (p *Peer) Exit(limit time.Duration) (int, error) {
	select {
	case <-p.exit:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
		return 0, fmt.Errorf("process %d has not ended after %v", p.PID(), limit)
	}
}

// Stop kills the kernel's process group and takes its files away.
func (p *Peer) Stop() {
	syscall.Kill(-p.PID(), syscall.SIGKILL)
	<-p.exit
	os.RemoveAll(p.dir)
}
