//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// TestSQLBrokenPipe: a reader that takes the first line of what duckdb writes ends the program by SIGPIPE,
// as it does others, and nothing is said.
func TestSQLBrokenPipe(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(archivetest.Build(dir, "demo"), os.WriteFile(filepath.Join(dir, "duckdb"), []byte("#!/bin/sh\nexec yes\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("pmderive", "-a", filepath.Join(dir, "demo"), "sql", "--run", "kernel.all.load")
	c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "y\n" {
		t.Errorf("the first line is %q, %v", line, err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	bad, ok := errors.AsType[*exec.ExitError](c.Wait())
	if !ok {
		t.Fatal("the status is 0")
	}
	if status, _ := bad.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGPIPE || errs.String() != "" {
		t.Errorf("it ends with %v, %q", bad, errs.String())
	}
}
