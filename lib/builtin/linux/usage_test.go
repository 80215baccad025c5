package linux

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
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

// TestChild reads the answers of children.
func TestChild(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not Linux")
	}
	var line bytes.Buffer
	if served, err := Serve([]string{"x", helperFlag, "/"}, &line); !served || err != nil {
		t.Fatalf("%t, %v", served, err)
	}
	for text, ok := range map[string]bool{line.String(): true, "1 2 3 4 5 6": true, "1 2 3": false, "": false} {
		var fs filesystem
		err := askChild(func(ctx context.Context, dir string) *exec.Cmd { return exec.CommandContext(ctx, "echo", text) })(t.Context(), "/", &fs)
		if (err == nil) != ok || ok && fs.size == 0 {
			t.Errorf("%q: %+v, %v", text, fs, err)
		}
	}
	if served, err := Serve([]string{"x", helperFlag, "/no/such/directory"}, &line); !served || err == nil {
		t.Errorf("a directory that does not exist: %t, %v", served, err)
	}
	if served, err := Serve([]string{"x", "-f", "a"}, &line); served || err != nil {
		t.Errorf("other arguments: %t, %v", served, err)
	}
	cmd := Helper(t.Context(), "/a")
	if len(cmd.Args) != 3 || cmd.Args[1] != helperFlag || cmd.Args[2] != "/a" || cmd.SysProcAttr == nil {
		t.Errorf("the child is %q", cmd.Args)
	}
}
