package push_test

import (
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/test/peer/harness"
)

// TestOurselves: pmderive is killed while the database cannot be reached. The next run sends what
// is in the queue: every sample is there, and once.
func TestOurselves(t *testing.T) {
	ours, _, root := harness.Setup(t)
	const series = 50
	host, queue := daemon(t, series), filepath.Join(t.TempDir(), "queue")
	command := func(url string, more ...string) *exec.Cmd {
		args := append([]string{"-h", host, "push", "--to", url, "--queue", queue, "-t", "0.1"}, more...)
		cmd := exec.Command(filepath.Join(ours.Bin, "pmderive"), append(args, "load.many")...)
		cmd.Env = append(os.Environ(), "PCP_CONF="+root+"/etc/pcp.conf")
		return cmd
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	first := command(dead.URL)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	requests := func() int {
		list, _ := filepath.Glob(filepath.Join(queue, "*.write"))
		return len(list)
	}
	for range 300 {
		if requests() >= 3 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if out, err := command(dead.URL, "-s", "1").CombinedOutput(); err == nil || !strings.Contains(string(out), "the queue is in use by another process") {
		t.Errorf("a second run: %v, %s", err, out)
	}
	_ = first.Process.Kill()
	_ = first.Wait() // it was killed
	left := requests()
	d := &remotewritetest.Database{}
	srv := httptest.NewServer(d)
	defer srv.Close()
	if out, err := command(srv.URL, "-s", "1").CombinedOutput(); err != nil || left < 3 {
		t.Fatalf("%v, %d requests were left, %s", err, left, out)
	}
	got := d.Series()
	maps.DeleteFunc(got, func(k string, _ []remotewritetest.Sample) bool { return !strings.Contains(k, `"load_many"`) })
	for k, list := range got {
		seen := make(map[int64]bool)
		for _, s := range list {
			seen[s.MS] = true
		}
		if len(list) != left+1 || len(seen) != len(list) {
			t.Fatalf("%s: %d samples at %d times, not %d", k, len(list), len(seen), left+1)
		}
	}
	if list, err := os.ReadDir(queue); len(got) != series || err != nil || len(list) > 0 {
		t.Errorf("%d series, the queue: %v, %v", len(got), list, err)
	}
}

// TestBetween: a database that was killed between two rounds, which are further apart than 20 s, gets the first one again.
func TestBetween(t *testing.T) {
	ours, _, root := harness.Setup(t)
	var d remotewritetest.Database
	srv := httptest.NewServer(&d)
	defer srv.Close()
	push := exec.Command(filepath.Join(ours.Bin, "pmderive"), "-h", daemon(t, 1), "push", "--to", srv.URL, "-t", "22s", "-s", "2", "load.many")
	push.Env = append(os.Environ(), "PCP_CONF="+root+"/etc/pcp.conf")
	killed := time.AfterFunc(10*time.Second, srv.CloseClientConnections)
	defer killed.Stop()
	if out, err := push.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	series := 0
	for labels, list := range d.Series() {
		if !strings.Contains(labels, `"load_many"`) {
			continue
		}
		if series++; len(list) != 3 || list[0] != list[1] && list[0] != list[2] {
			t.Errorf("%s: %v, want the first of two samples twice", labels, list)
		}
	}
	if series != 1 {
		t.Errorf("%d series of load.many, not 1", series)
	}
}
