package test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSilent runs commands where the program of a mounted file system has read its requests and never answers: nothing ends a thread
// that asks it then. The test runs itself again in a mount namespace, with PMTOOLS_SILENT set to a directory and that of the commands.
func TestSilent(t *testing.T) {
	if dirs := os.Getenv("PMTOOLS_SILENT"); dirs != "" {
		dir, bin, _ := strings.Cut(dirs, ":")
		mountSilent(t, dir)
		askSilent(t, dir, bin)
		return
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSilent$", "-test.v")
	cmd.Env = append(os.Environ(), "PMTOOLS_SILENT="+t.TempDir()+":"+commands(t), "HOME="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Skip("no mount namespaces here: ", err)
	}
	err := cmd.Wait()
	if strings.Contains(out.String(), "--- SKIP: TestSilent ") {
		t.Skip(out.String())
	}
	if err != nil || !strings.Contains(out.String(), "--- PASS: TestSilent ") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// mountSilent mounts a FUSE file system that answers nothing but the first request, without which none is sent.
func mountSilent(t *testing.T, dir string) {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("no /dev/fuse here: ", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Skip("mounts are not private here: ", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd)
	if err := syscall.Mount("/dev/silent", dir, "fuse", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		t.Skip("no FUSE here: ", err)
	}
	request := make([]byte, 1<<20)
	if _, err := syscall.Read(fd, request); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 80) // struct fuse_out_header and fuse_init_out
	order := binary.NativeEndian
	order.PutUint32(answer, uint32(len(answer)))
	copy(answer[8:16], request[8:16]) // which request
	order.PutUint32(answer[16:], 7)   // version
	order.PutUint32(answer[20:], 31)
	order.PutUint32(answer[36:], 4096) // bytes of a write
	if _, err := syscall.Write(fd, answer); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, err := syscall.Read(fd, request); err != nil && !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}()
}

func askSilent(t *testing.T, dir, bin string) {
	for _, c := range []struct {
		args   []string
		stdin  string
		signal syscall.Signal // sent when the file system is reported; 0 means none
		want   string         // in the output
		home   bool           // the user's directory is there, too
	}{
		{[]string{"pminfo", "-L", "-f", "filesys.free", "kernel.all.hz"}, "", 0, "kernel.all.hz\n    value 100", false},
		{[]string{"pminfo", "-L", "-f", "disk.dev.read", "filesys.free", "kernel.all.hz"}, "", 0, "kernel.all.hz\n    value 100", true},
		{[]string{"pmval", "-L", "-s", "2", "-t", "100msec", "filesys.free"}, "", 0, "/dev/silent", false},
		{[]string{"pmval", "-L", "filesys.free"}, "", syscall.SIGINT, "metric:", false},
		{[]string{"pmval", "-L", "filesys.free"}, "", syscall.SIGTERM, "metric:", false},
		{[]string{"pmderive", "-L", "eval", "kernel.all.hz", "sum(filesys.free)"}, "", 0, "100", false},
		{[]string{"pmderive", "-L", "eval", "-t", "1", "sum(filesys.free)"}, "", syscall.SIGINT, "", false},
		{[]string{"pmderive", "-L"}, "filesys.free\nkernel.all.hz\n", 0, "100", false},
	} {
		cmd := exec.Command(filepath.Join(bin, c.args[0]), c.args[1:]...)
		cmd.Stdin = strings.NewReader(c.stdin)
		if c.home {
			cmd.Env = append(os.Environ(), "HOME="+dir)
		}
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		stderr := &reportWriter{reported: make(chan struct{}), of: dir}
		cmd.Stderr = stderr
		cmd.WaitDelay = time.Second
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if c.signal != 0 {
			<-stderr.reported
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Error(err)
			}
		}
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Fatalf("%q does not end", c.args)
		}
		if !strings.Contains(stdout.String(), c.want) || strings.Count(stderr.text.String(), dir) != 1 {
			t.Errorf("%q prints\n%s\nand reports\n%s", c.args, &stdout, &stderr.text)
		}
	}
}

// A reportWriter keeps what a command reports, and says when it has reported something of a directory.
type reportWriter struct {
	text     bytes.Buffer
	reported chan struct{}
	of       string
	done     bool
}

func (w *reportWriter) Write(b []byte) (int, error) {
	w.text.Write(b)
	if !w.done && strings.Contains(w.text.String(), w.of) {
		w.done = true
		close(w.reported)
	}
	return len(b), nil
}
