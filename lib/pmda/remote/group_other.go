//go:build !unix

package remote

import "os/exec"

// ownGroup is for systems with process groups.
func ownGroup(*exec.Cmd) {}

// kill kills a program. Its own children stay.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
