// Package install puts files of definitions into the directories where the tools of PCP look for them,
// takes them away again, and lists which definitions are there and which of them count.
package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/derive/diagnose"
	"pmtools/lib/config"
)

// Tools say where the tools of this machine look for definitions.
type Tools struct {
	List   []string // files and directories, in the order in which they are read
	System string   // the directory that is read unless PCP_DERIVED_CONFIG is set
	User   string   // a directory of the user's own, which is read if PCP_DERIVED_CONFIG lists it; "" for none
	Stock  string   // where the packages of PCP keep the files to which links in System point

	set bool // PCP_DERIVED_CONFIG is set
}

// NewTools returns what a configuration says.
func NewTools(c *config.Config, user string) *Tools {
	t := &Tools{
		System: filepath.Join(c.Get("PCP_VAR_DIR"), "config", "derived"), User: user,
		Stock: filepath.Join(c.Get("PCP_SYSCONF_DIR"), "derived"),
	}
	_, t.set = c.Lookup("PCP_DERIVED_CONFIG")
	for _, part := range filepath.SplitList(c.Derived()) {
		if part != "" {
			t.List = append(t.List, part)
		}
	}
	return t
}

// Default returns the directory into which definitions go unless another one is chosen: the first
// one in which the tools look.
func (t *Tools) Default() (string, error) {
	if !t.set {
		return t.System, nil
	}
	for _, part := range t.List {
		if info, err := os.Stat(part); err == nil && info.IsDir() {
			return part, nil
		}
	}
	p := &diagnose.Problem{Msg: "PCP_DERIVED_CONFIG lists no directory", Notes: []string{"--user, --system or --dir DIR chooses one"}}
	return "", p
}

// Kind says which directory one is.
func (t *Tools) Kind(dir string) string {
	switch {
	case same(dir, t.System):
		return "system"
	case same(dir, t.User):
		return "user"
	case t.Reads(dir):
		return "PCP_DERIVED_CONFIG"
	}
	return "not read by the tools"
}

// Reads reports whether the tools look in a directory.
func (t *Tools) Reads(dir string) bool {
	return slices.ContainsFunc(t.List, func(part string) bool { return same(part, dir) })
}

// Advice returns the line for a shell after which the tools look in a directory, too.
func (t *Tools) Advice(dir string) string {
	return "export PCP_DERIVED_CONFIG=" + strings.Join(append([]string{absolute(dir)}, t.List...), string(os.PathListSeparator))
}

// Dirs returns the directories in which installed files may be, the user's first.
func (t *Tools) Dirs() (dirs []string) {
	if t.User != "" && !t.Reads(t.User) {
		dirs = append(dirs, t.User)
	}
	return append(dirs, t.List...)
}

// checkDir returns the error of a directory that is not there and is not made.
func (t *Tools) checkDir(dir string) error {
	if same(dir, t.User) || same(dir, t.System) {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", dir)
	}
	return err
}

// explain adds to an error about a directory that others may write what to type instead.
func (t *Tools) explain(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) && !same(dir, t.User) {
		return &diagnose.Problem{Msg: err.Error(), Notes: []string{"--user installs for you alone"}, Err: err}
	}
	return err
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// same reports whether two paths are of one file, which need not exist.
func same(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if absolute(a) == absolute(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
