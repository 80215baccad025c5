//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a program that is not started yet the leader of a process group.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
}

// kill kills a program and its process group. An error means that no process is left.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
