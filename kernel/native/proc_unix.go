//go:build unix

package native

import (
	"os"
	"os/exec"
	"syscall"
)

// group makes a command the leader of a process group that ends together: the
// linker starts the C compiler, and that the system's linker.
func group(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// ours reports whether a folder belongs to this user and to nobody else.
func ours(st os.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Getuid() && st.Mode().Perm()&0o077 == 0
}
