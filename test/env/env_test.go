package env

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain prints the environment in a process that a test starts.
func TestMain(m *testing.M) {
	if os.Getenv("PMTOOLS_TEST_PRINT") != "" {
		os.Stdout.WriteString(strings.Join(os.Environ(), "\n") + "\n" + time.Unix(0, 0).Format(time.RFC3339) + "\n")
		return
	}
	m.Run()
}

// hostile is an environment in which tests must pass.
var hostile = []string{
	"PCP_HOST=nonsense", "pcp_host=nonsense", "PCP_CONF=/nonsense", "PMCD_PORT=nonsense", "TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8",
	"HOME=/nonsense", "XDG_STATE_HOME=/nonsense", "POSIXLY_CORRECT=1", "NO_COLOR=1", "TERM=xterm", "GOEXPERIMENT=", "PMTOOLS_RUNS=7",
	"TMPDIR=/" + strings.Repeat("long/", 20),
}

// printed returns the environment of a process that was started in another.
func printed(t *testing.T, env ...string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(env, "PMTOOLS_TEST_PRINT=1", "PATH="+os.Getenv("PATH"), "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestClean: tests see nothing of a hostile environment.
func TestClean(t *testing.T) {
	got := printed(t, hostile...)
	for _, v := range got {
		if strings.Contains(v, "nonsense") {
			t.Errorf("%s is kept", v)
		}
	}
	want := []string{"TZ=UTC", "PCP_CONF=" + os.Getenv("PCP_CONF"), "LANG=C.UTF-8", "PMTOOLS_RUNS=7", "GOEXPERIMENT=", "1970-01-01T00:00:00Z"}
	if fi, err := os.Stat("/tmp"); err == nil && fi.IsDir() {
		want = append(want, "TMPDIR=/tmp")
	}
	for _, v := range want {
		if !slices.Contains(got, v) {
			t.Errorf("no %s in %q", v, got)
		}
	}
	for _, name := range []string{"LC_ALL", "NO_COLOR", "POSIXLY_CORRECT", "XDG_STATE_HOME"} {
		if slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			t.Errorf("%s is kept", name)
		}
	}
}

// TestChild: a process that a test starts sees what the test has set.
func TestChild(t *testing.T) {
	t.Setenv("PCP_HOST", "there")
	t.Setenv("TZ", "Asia/Kathmandu")
	got := printed(t, os.Environ()...)
	for _, v := range []string{"PCP_HOST=there", "TZ=Asia/Kathmandu"} {
		if !slices.Contains(got, v) {
			t.Errorf("no %s in %q", v, got)
		}
	}
}

// TestOpen: PCP is not installed in tests.
func TestOpen(t *testing.T) {
	if _, err := Open("/etc/pcp.conf"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("/etc/pcp.conf: %v", err)
	}
	f, err := Open("pcp.conf")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if home, err := os.UserHomeDir(); err != nil || os.MkdirAll(home, 0o777) == nil {
		t.Errorf("home is %q, %v, and can be made", home, err)
	}
}

// TestGo: the go tool finds its cache.
func TestGo(t *testing.T) {
	out, err := Go("env", "GOCACHE").Output()
	if err != nil || strings.Contains(string(out), os.DevNull) {
		t.Errorf("%s, %v", out, err)
	}
}
