//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/remotewrite/remotewritetest"
)

// TestPushInterrupted: a signal ends the push of an archive, whatever the database does. pmderive says
// how much has not been sent, and the status is 1.
func TestPushInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildBig(dir, "big", 50); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		sig  os.Signal
		do   func(w http.ResponseWriter, r *http.Request) bool
		sent bool
	}{
		{"takes all", os.Interrupt, func(http.ResponseWriter, *http.Request) bool { return false }, true},
		{"never answers", os.Interrupt, func(_ http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return true
		}, false},
		{"wants to be left alone", syscall.SIGTERM, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, false},
		{"cuts", syscall.SIGTERM, func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked, signalled := make(chan struct{}), make(chan struct{})
			var once sync.Once
			srv := httptest.NewServer(&remotewritetest.Database{Before: func(w http.ResponseWriter, r *http.Request) bool {
				once.Do(func() { close(asked); <-signalled })
				return tt.do(w, r)
			}})
			defer srv.Close()
			temp := t.TempDir()
			cmd := exec.Command("pmderive", "-a", filepath.Join(dir, "big"), "push", "--queue-size", "400000", "--to", srv.URL, "big")
			cmd.Env = append(os.Environ(), "TMPDIR="+temp)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			select {
			case <-asked:
				_ = cmd.Process.Signal(tt.sig)
			case <-time.After(time.Minute):
			}
			close(signalled)
			_ = cmd.Wait() // its status says it
			if !late.Stop() || cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("status %d, %q, %q", cmd.ProcessState.ExitCode(), &stdout, &stderr)
			} else if strings.Contains(stdout.String(), ": 0 samples") == tt.sent || strings.Contains(stdout.String(), " not sent") == tt.sent ||
				!strings.Contains(stderr.String(), "interrupted: the rest of the archive is not sent\n") {
				t.Errorf("status %d, %q, %q", cmd.ProcessState.ExitCode(), &stdout, &stderr)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, "*")); left != nil {
				t.Errorf("%q is left", left)
			}
		})
	}
}
