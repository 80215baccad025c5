//go:build !unix

package remote

import "os/exec"

func ownGroup(*exec.Cmd) {}

// kill kills a program. Its own children stay: this system has no process groups.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
