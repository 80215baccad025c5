package main

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"pmtools/lib/version"
)

// sourceName is the name of the source archive, and of the folder in it.
func sourceName() string { return "pmtools-" + version.Version }

// source writes the commit and the modules that it needs as one compressed tar file, from which the
// commands are built without network.
func source(out, tmp string, when time.Time) error {
	tree := filepath.Join(tmp, "source")
	if err := os.Mkdir(tree, 0o777); err != nil {
		return err
	}
	archive := exec.Command("git", "archive", "--format=tar", "HEAD")
	unpack := exec.Command("tar", "-xf", "-", "-C", tree)
	pipe, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	unpack.Stdin, archive.Stderr, unpack.Stderr = pipe, os.Stderr, os.Stderr
	if err := archive.Start(); err != nil {
		return err
	}
	if err := errors.Join(unpack.Run(), archive.Wait()); err != nil {
		return err
	}
	if err := run([]string{"GOFLAGS="}, cmp.Or(os.Getenv("GO"), "go"), "mod", "vendor", "-C", tree); err != nil {
		return err
	}
	return target{root: tree, time: when}.tar(filepath.Join(out, sourceName()+".tar.gz"))
}
