//go:build !unix

package remote

import "os/exec"

// ownGroup is for systems with process groups.
func ownGroup(*exec.Cmd) {}

// kill kills a program. What it has started stays.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
