package linux

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pmerr"
)

// silentMounts has file systems that may not answer, two of them at one place, local ones, one that is reached through one that may not
// answer, and one whose device is a file of that.
const silentMounts = `/dev/sda1 / ext4 rw 0 0
srv:/x /mnt/nfs nfs4 rw 0 0
/dev/sdb1 /mnt/nfs/below ext4 rw 0 0
/dev/sdc1 /mnt/nfs2 xfs rw 0 0
/dev/fuse /mnt/a\040b fuse.x rw 0 0
/dev/over /mnt/a\040b fuse.x rw 0 0
/dev/../mnt/nfs/file /mnt/c fuseblk rw 0 0
tmpfs /run tmpfs rw 0 0
`

// TestSilent asks file systems of which one does not answer: the others have values, this one is reported once, is not waited for again,
// and has a value as soon as it answers.
func TestSilent(t *testing.T) {
	t.Parallel()
	l := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{"proc/self/mounts": silentMounts})))
	var local, reports []string
	l.statfs = func(dir string, fs *filesystem) error {
		local = append(local, dir)
		*fs = filesystem{blocks: 8, free: 4, size: 1024}
		return nil
	}
	var mu sync.Mutex
	asked, answers := map[string]int{}, make(chan struct{})
	l.asker.ask = func(_ context.Context, dir string, fs *filesystem) error {
		mu.Lock()
		asked[dir]++
		mu.Unlock()
		if dir == "/mnt/nfs/below" {
			<-answers
		}
		*fs = filesystem{blocks: 8, free: 2, size: 1024}
		return nil
	}
	l.asker.report = func(err error) { reports = append(reports, err.Error()) }
	a := l.agent()
	check := func(want string) {
		t.Helper()
		if got := procfstest.Values(t, a, "filesys.free")[0]; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	const others = "/dev/../mnt/nfs/file=2|/dev/fuse=2|/dev/over=2|/dev/sda1=4"
	check(others + "|/dev/sdc1=4")
	check(others + "|/dev/sdc1=4")
	if want := []string{`"/mnt/nfs/below": the file system (nfs4) does not answer`}; !slices.Equal(reports, want) {
		t.Errorf("reported %q, want %q", reports, want)
	}
	if want := []string{"/", "/mnt/nfs2"}; !slices.Equal(slices.Compact(slices.Sorted(slices.Values(local))), want) {
		t.Errorf("asked %q in this thread, want %q", local, want)
	}
	mu.Lock()
	if asked["/mnt/nfs/below"] != 1 || asked["/mnt/a b"] != 2 {
		t.Errorf("asked %v: one that does not answer is asked once, one that does for each fetch", asked)
	}
	mu.Unlock()
	q := l.asker.questions["/mnt/nfs/below"]
	close(answers)
	<-q.ended
	check(others + "|/dev/sdb1=2|/dev/sdc1=4")
	if got := l.kernelName("/dev/../mnt/nfs/file"); got != "file" {
		t.Errorf("the device of a file system is %q", got)
	}
}

// TestSilentAlone checks the error of a metric whose only file system does not answer.
func TestSilentAlone(t *testing.T) {
	t.Parallel()
	l := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{"proc/self/mounts": "srv:/ / nfs rw 0 0\n/dev/fuse /a fuse rw 0 0\n"})))
	end := make(chan struct{})
	defer close(end)
	l.asker.ask = func(context.Context, string, *filesystem) error {
		<-end
		return nil
	}
	if res := procfstest.Fetch(t, l.agent(), nil, "filesys.used"); res.Sets[0].Err != pmerr.Of(syscall.ETIMEDOUT) {
		t.Errorf("got %+v", res.Sets[0])
	}
}

// TestSilentMany has more file systems that do not answer than are asked at the same time: those that do are reached in the end.
func TestSilentMany(t *testing.T) {
	t.Parallel()
	var mounts strings.Builder
	for i := range maxAsked {
		fmt.Fprintf(&mounts, "/dev/sd%d /silent/%d fuse rw 0 0\n", i, i)
	}
	mounts.WriteString("/dev/fuse /a fuse rw 0 0\n")
	l := newCollector(procfstest.Options(procfstest.Files(t, map[string]string{"proc/self/mounts": mounts.String()})))
	end := make(chan struct{})
	defer close(end)
	l.asker.ask = func(_ context.Context, dir string, fs *filesystem) error {
		if strings.HasPrefix(dir, "/silent/") {
			<-end
		}
		fs.blocks, fs.size = 1, 1024
		return nil
	}
	a := l.agent()
	for _, want := range []string{"error Connection timed out", "/dev/fuse=1"} {
		if got := procfstest.Values(t, a, "filesys.capacity")[0]; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestMain makes the program of the tests its own helper.
func TestMain(m *testing.M) {
	if !IsHelper(os.Args) {
		os.Exit(m.Run())
	}
	if err := Serve(os.Args, os.Stdout); err != nil {
		os.Exit(1)
	}
}

// TestHelper asks by a child.
func TestHelper(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not Linux")
	}
	var fs filesystem
	if err := askHelper(Helper)(t.Context(), "/", &fs); err != nil || fs.size == 0 {
		t.Errorf("%+v, %v", fs, err)
	}
	if line, err := Helper(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Errorf("a directory that does not exist: %q", line)
	}
	for _, line := range []string{"", "1 2 3 4 5", "1 2 x 4 5 6"} {
		if err := askHelper(func(context.Context, string) (string, error) { return line, nil })(t.Context(), "/", &fs); err == nil {
			t.Errorf("%q is an answer", line)
		}
	}
}
