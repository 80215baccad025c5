// Package env gives the process of a test, and those that the test starts, an environment of their
// own, so that tests pass in any: with PCP installed and its variables set, in every zone and locale,
// without a home. Each package with tests imports it for that effect:
//
//	import _ "pmtools/test/env"
//
// A test of a variable sets it. Scripts of testscript, which inherit no variables, are given them by
// [Set].
package env

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// marker is set in the environment of tests, and so in that of the processes which they start: these
// keep what the test has set.
const marker = "PMTOOLS_TEST_ENV"

// kept are the variables that tests keep, or the beginnings of their names: the places of programs, the
// settings of Go, the parameters of our tests, and the variables that Windows and emulators need.
var kept = []string{
	"PATH=", "TMPDIR=", "GO", "CGO_ENABLED=", "CC=", "PMTOOLS_", "LD_LIBRARY_PATH=", "QEMU_", "WINE",
	"SYSTEMROOT=", "SYSTEMDRIVE=", "WINDIR=", "COMSPEC=", "PATHEXT=", "TEMP=", "TMP=",
}

// longest is how long the name of a directory for temporary files may be. That of a Unix socket, which
// is a file in a directory of a test's own, may have 107 bytes, or 103 on macOS.
const longest = 20

// started is the environment that this process was started in.
var started = os.Environ()

func init() {
	if os.Getenv(marker) != "" {
		return
	}
	for _, v := range started {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(strings.ToUpper(v), k) }) && name != "" {
			os.Unsetenv(name)
		}
	}
	Set(func(name, value string) { os.Setenv(name, value) })
	if len(os.TempDir()) > longest {
		if dir, err := os.MkdirTemp("/tmp", "pm"); err == nil {
			os.Remove(dir)
			os.Setenv("TMPDIR", "/tmp")
		}
	}
	time.Local = time.UTC // it may have been asked for before TZ was set
}

// Set sets the variables that each test finds: a configuration of PCP without derived metrics and
// without files of the machine, UTC, English messages in UTF-8, and a home that cannot be made.
func Set(set func(name, value string)) {
	set(marker, "1")
	set("PCP_CONF", conf())
	set("TZ", "UTC")
	set("LANG", "C.UTF-8")
	set("TERM", "dumb")
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		set(name, filepath.Join(os.DevNull, "home"))
	}
}

// conf returns the path of the pcp.conf of tests. A test runs in the directory of its package.
func conf() string {
	dir, err := os.Getwd()
	for err == nil {
		name := filepath.Join(dir, "test", "env", "pcp.conf")
		if _, err := os.Stat(name); err == nil {
			return name
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		break
	}
	panic("test/env: no test/env/pcp.conf above this directory: tests run in the directory of their package")
}

// Open opens a file as os.Open does, on a machine without the configuration of PCP: no pcp.conf is in
// the usual places. A test uses it that gives a command variables of its own, without PCP_CONF.
func Open(name string) (io.ReadCloser, error) {
	if name == "/etc/pcp.conf" || name == "/usr/local/etc/pcp.conf" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(name)
}

// Go returns a command of the go tool, with the variables of [Started].
func Go(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = Started()
	return cmd
}

// Started returns the environment of the tests' start, where Go's cache and the modules are, for
// commands that build programs. These do not ask git for the commit: it refuses in a clone that
// belongs to another user.
func Started() []string {
	return append(slices.Clip(started), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -buildvcs=false"))
}
