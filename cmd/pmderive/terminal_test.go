package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/env"
)

// A screen is a terminal of tmux's with a program in it.
type screen struct {
	t      *testing.T
	socket string
}

// newScreen starts the command on a terminal, with some variables, or skips where there is no tmux.
func newScreen(t *testing.T, vars []string, args ...string) *screen {
	t.Helper()
	return newProgram(t, vars, append([]string{"pmderive"}, args...)...)
}

// newProgram starts a program on a terminal, which finds the command in its PATH.
func newProgram(t *testing.T, vars []string, args ...string) *screen {
	t.Helper()
	return newSized(t, 100, 50, vars, args...)
}

// newSized is newProgram on a terminal of a size.
func newSized(t *testing.T, width, height int, vars []string, args ...string) *screen {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux here: the prompt is not tried on a terminal")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := env.Dir(t)
	// The test's own program is the command under another name, as for scripts.
	if err := os.Symlink(self, filepath.Join(dir, "pmderive")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	s := &screen{t, filepath.Join(dir, "tmux")}
	line := append([]string{tmux, "-S", s.socket, "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "env", "TZ=UTC", "PCP_DERIVED_CONFIG=",
		"HOME=" + dir, "XDG_STATE_HOME=", "NO_COLOR=", "PATH=" + dir + ":" + os.Getenv("PATH")}, vars...)
	line = append(line, args...)
	if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
		t.Skipf("tmux does not work here: %v\n%s", err, out)
	}
	t.Cleanup(func() { exec.Command(tmux, "-S", s.socket, "kill-server").Run() })
	return s
}

// keys presses keys.
func (s *screen) keys(keys ...string) {
	s.t.Helper()
	if out, err := exec.Command("tmux", append([]string{"-S", s.socket, "send-keys"}, keys...)...).CombinedOutput(); err != nil {
		s.t.Fatalf("%q: %v\n%s", keys, err, out)
	}
}

// text returns what is on the screen.
func (s *screen) text() string {
	out, _ := exec.Command("tmux", "-S", s.socket, "capture-pane", "-p").Output() // none when the program has ended
	return strings.TrimRight(string(out), "\n ")
}

// wait waits until a text is on the screen a number of times.
func (s *screen) wait(text string, times int) {
	s.t.Helper()
	for range 600 {
		if strings.Count(s.text(), text) >= times {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("%q is not on the screen %d times:\n%s", text, times, s.text())
}

// painted waits until a text is on the screen in its colours, or checks that it is not.
func (s *screen) painted(text string, want bool) {
	s.t.Helper()
	var out []byte
	for range 600 {
		var err error
		if out, err = exec.Command("tmux", "-S", s.socket, "capture-pane", "-p", "-e").Output(); err != nil {
			s.t.Fatal(err)
		}
		if strings.Contains(string(out), text) == want {
			return
		}
		time.Sleep(50 * time.Millisecond) // the line is being drawn
	}
	s.t.Errorf("%q is on the screen: %v, in %q", text, !want, out)
}

// gone waits until the program has ended.
func (s *screen) gone() {
	s.t.Helper()
	for range 600 {
		if exec.Command("tmux", "-S", s.socket, "has-session").Run() != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("the program does not end:\n%s", s.text())
}

// TestTerminal works at the prompt: several lines, errors, completion, history, Ctrl-C and Ctrl-D.
func TestTerminal(t *testing.T) {
	path := archivetest.Path(t, "ta")
	history := filepath.Join(t.TempDir(), "history")
	vars := []string{"PMDERIVE_HISTORY=" + history}
	const prompt = "2001-09-09 01:46:40>"
	s := newScreen(t, vars, "-a", path)
	s.wait(prompt, 1)
	s.keys("sum(t.b", "Enter")
	s.wait("...", 1)
	s.keys(")", "Enter")
	s.wait("\n150 @", 1)
	s.keys("t.b +", "Enter")
	s.wait("+...", 1)
	s.keys(")", "Enter")
	s.wait("error: found ')'", 1)
	s.keys("cou", "Tab")
	s.wait("> count(", 1)
	s.keys("t.b)", "Enter")
	s.wait(" count @", 1)
	s.keys("(t.b", "Enter")
	s.wait("...", 2)
	s.keys("C-c")
	s.wait(prompt, 5)
	s.keys(":next", "Enter")
	s.wait("2001-09-09 01:46:41>", 1)
	s.keys("C-d")
	s.gone()

	// The next session has the items of this one.
	s = newScreen(t, vars, "-a", path)
	s.wait(prompt, 1)
	s.keys("Up", "Up")
	s.wait("> count(t.b)", 1)
	s.keys("C-c")
	s.wait(prompt, 2)
	s.keys("C-r", "sum")
	s.wait("sum(t.b )", 1)
	s.keys("Enter")
	s.wait("\n150 @", 1)
	s.keys("quit", "Enter")
	s.gone()
	text, err := os.ReadFile(history)
	if want := "sum(t.b )\nt.b + )\ncount(t.b)\n:next\nsum(t.b )\nquit\n"; err != nil || string(text) != want {
		t.Errorf("the history is %q, %v", text, err)
	}
}

// newLive starts the command on a terminal over a scripted daemon.
func newLive(t *testing.T) (*pmcdtest.Server, *screen) {
	t.Helper()
	server := pmcdtest.NewServer(pmcdtest.Sample())
	t.Cleanup(func() { server.Close() })
	addr, err := server.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return server, newScreen(t, nil, "-h", addr.String())
}

// TestTerminalInterrupt ends items with Ctrl-C, not the program.
func TestTerminalInterrupt(t *testing.T) {
	server, s := newLive(t)
	s.wait("pmderive>", 1)
	s.keys(":set interval 50msec", "Enter", ":watch sample.long.one", "Enter")
	s.wait("▁▁▁", 1)
	s.keys("C-c")
	s.wait("pmderive>", 1)
	s.keys(":set interval 1hour", "Enter")
	s.wait("pmderive>", 2)
	s.keys("rate(sample.long.one)", "Enter")
	time.Sleep(200 * time.Millisecond)
	s.keys("C-c")
	s.wait("interrupted", 1)
	server.Hangup()
	s.wait("pmderive>", 3)
	s.keys("sample.double", "Enter")
	s.wait("error: connection lost", 1)
	s.keys("sample.double", "Enter")
	s.wait("\n-2.5\n", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalLive: live values at the prompt are shown again and again, those of several expressions
// side by side, and a chart grows.
func TestTerminalLive(t *testing.T) {
	_, s := newLive(t)
	s.wait("pmderive>", 1)
	s.keys(":set interval 50msec", "Enter", ":top 2 sample.bin", "Enter")
	s.wait("bin-300     300  ▁▁▁", 1)
	s.keys("C-c")
	s.wait("pmderive>", 1)
	s.keys("C-l", ":watch sample.long.one, sample.double", "Enter")
	s.wait(" 1         -2.5", 5)
	s.keys("C-c")
	s.wait("pmderive>", 2)
	s.keys("C-l", ":set interval 300msec", "Enter", ":plot sample.long.one", "Enter")
	s.wait("┬", 1)
	first := s.text()
	for n := 0; s.text() == first; n++ {
		if n == 100 {
			t.Fatalf("the chart does not grow\n%s", first)
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.keys("C-c")
	s.wait("pmderive>", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalInterruptOpen interrupts the opening of an archive with metadata that takes long to
// unpack, and goes on with the one before.
func TestTerminalInterruptOpen(t *testing.T) {
	path, other := archivetest.Path(t, "ta"), archivetest.Path(t, "demo")
	meta, err := os.ReadFile(other + ".meta")
	if err == nil {
		record := []byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 4} // of 2 GiB
		err = archivetest.Bomb(other+".meta", append(meta, record...))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, []string{"TMPDIR=" + t.TempDir()}, "-a", path)
	s.wait("46:40>", 1)
	s.keys(":source archive "+other, "Enter")
	time.Sleep(200 * time.Millisecond)
	s.keys("C-c")
	s.wait("interrupted", 1)
	s.keys("sum(t.b)", "Enter")
	s.wait("\n150 @", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalAhead leaves by a key that is typed while an item runs.
func TestTerminalAhead(t *testing.T) {
	_, s := newLive(t)
	s.wait("pmderive>", 1)
	s.keys(":set interval 500msec", "Enter", "rate(sample.long.one)", "Enter")
	time.Sleep(100 * time.Millisecond)
	s.keys("C-d")
	s.gone()
}

// TestTerminalNarrow edits a line that is longer than the terminal is wide, with wide characters in
// it, after the terminal has become smaller.
func TestTerminalNarrow(t *testing.T) {
	const prompt = "2001-09-09 01:46:40>"
	s := newScreen(t, nil, "-a", archivetest.Path(t, "ta"))
	s.wait(prompt, 1)
	if out, err := exec.Command("tmux", "-S", s.socket, "resize-window", "-x", "40", "-y", "12").CombinedOutput(); err != nil {
		t.Skipf("this tmux cannot resize: %v\n%s", err, out)
	}
	s.keys("世界 + t.b + 111111111111111111111111111111111111111 + 22")
	s.wait("> 世界 + t.b + 111", 1)
	s.wait(" + 22", 1)
	s.keys("C-a")
	s.keys("x")
	s.wait("> x世界 + t.b", 1)
	s.keys("C-e")
	s.keys("3")
	s.wait(" + 223", 1)
	s.keys("C-c")
	s.keys("sum(t.b)", "Enter")
	s.wait("\n150 @", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalMany completes a name among thousands.
func TestTerminalMany(t *testing.T) {
	dir := t.TempDir()
	if err := archivetest.BuildWide(dir, "wide", 3000, 2); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, nil, "-a", filepath.Join(dir, "wide"))
	s.wait("22:13:20>", 1)
	s.keys("count(wi", "Tab")
	s.wait("> count(wide.", 1)
	s.keys("l2999", "Tab", ")", "Enter")
	s.wait("> count(wide.l2999)", 1)
	s.wait("count @", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalColor has colours unless NO_COLOR forbids them.
func TestTerminalColor(t *testing.T) {
	path := archivetest.Path(t, "ta")
	for value, want := range map[string]bool{"": true, "1": false} {
		s := newScreen(t, []string{"NO_COLOR=" + value}, "-a", path)
		s.wait("46:40>", 1)
		s.keys("t.b + nosuch", "Enter")
		s.wait("error: ", 1)
		s.painted("\x1b[31merror", want)
		s.painted("\x1b[31m        ^", want)
		s.keys("sum(t.b) + 7", "Enter")
		s.wait("157", 1)
		s.keys("C-d")
		s.gone()
	}
}

// TestTerminalSuspend stops the program by Ctrl-Z, with the script that started it, and continues
// both in the middle of a line.
func TestTerminalSuspend(t *testing.T) {
	const prompt = "2001-09-09 01:46:40>"
	for _, command := range []string{"pmderive -a %", "sh -c 'pmderive -a %; true'"} {
		s := newProgram(t, []string{"PS1=shell: "}, "bash", "--norc")
		s.wait("shell:", 1)
		s.keys(strings.ReplaceAll(command, "%", archivetest.Path(t, "ta")), "Enter")
		s.wait(prompt, 1)
		s.keys("sum(t.b")
		s.wait("> sum(t.b", 1)
		s.keys("C-z")
		s.wait("Stopped", 1)
		s.wait("shell:", 2) // before its prompt the shell drops what was typed
		s.keys("stty -a | grep -o '.icanon'", "Enter")
		s.wait("\n icanon", 1)
		s.keys("fg", "Enter")
		s.wait("> sum(t.b", 1)
		s.keys(")", "Enter")
		s.wait("\n150 @", 1)
		s.keys("C-d")
		s.wait("shell:", 4)
		s.keys("exit", "Enter")
		s.gone()
	}
}

// TestTerminalSignals ends the program by signals, which leave the terminal as it was.
func TestTerminalSignals(t *testing.T) {
	for signal, status := range map[string]string{"TERM": "143", "HUP": "129", "INT": "130", "QUIT": "131"} {
		s := newProgram(t, []string{"PS1=shell: "}, "bash", "--norc")
		s.wait("shell:", 1)
		pid := filepath.Join(t.TempDir(), "pid")
		s.keys("sh -c 'echo $$ >"+pid+"; exec pmderive -a "+archivetest.Path(t, "ta")+"'", "Enter")
		s.wait("46:40>", 1)
		s.keys("sum(t.b")
		s.wait("> sum(t.b", 1)
		if out, err := exec.Command("sh", "-c", "kill -"+signal+" $(cat "+pid+")").CombinedOutput(); err != nil {
			t.Fatalf("kill -%s: %v\n%s", signal, err, out)
		}
		s.wait("shell:", 2)
		s.keys("echo status=$?", "Enter")
		s.wait("status="+status, 1)
		s.keys("stty -a | grep -o '.icanon'", "Enter")
		s.wait("\n icanon", 1)
		if strings.Contains(s.text(), "goroutine") {
			t.Errorf("SIG%s: %s", signal, s.text())
		}
		s.keys("exit", "Enter")
		s.gone()
	}
}

// shell runs a command line in a shell on a terminal of a size, and returns what is on the screen
// when it has ended.
func shell(t *testing.T, width, height int, line string) string {
	t.Helper()
	s := newSized(t, width, height, []string{"PS1=shell: "}, "bash", "--norc")
	s.wait("shell:", 1)
	s.keys("clear; "+line+"; echo end", "Enter")
	s.wait("\nend", 1)
	return s.text()
}

// TestTerminalTable: eval writes a running table: one header for each screenful, the columns that
// fit.
func TestTerminalTable(t *testing.T) {
	path := archivetest.Path(t, "ta")
	got := shell(t, 60, 30, "pmderive -a "+path+" eval -s 4 t.b t.d")
	want := `2001-09-09 t.b ---------------------------------
UTC           one two blank  three    a]b    a/b    t.d
01:46:40       10        20     30     40     50      0
01:46:41       11        21     31     41     51      1
01:46:42       12        22     32     42     52      0
01:46:43        -         -      -     23     13      1
end`
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = shell(t, 60, 10, "pmderive -a "+path+" eval -t 0.5 t.d | tail -1; pmderive -a "+path+" eval -t 0.5 -s 10 t.d")
	if n := strings.Count(got, "2001-09-09"); n != 1 || !strings.Contains(got, "01:46:42.500") {
		t.Errorf("%d headers on a small screen:\n%s", n, got)
	}
}

// TestTerminalWatch: a watch is drawn in its place, with as many lines as the screen has.
func TestTerminalWatch(t *testing.T) {
	w := pmcdtest.Sample()
	w.Now = time.Now
	server := pmcdtest.NewServer(w)
	t.Cleanup(func() { server.Close() })
	addr, err := server.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newSized(t, 40, 12, nil, "pmderive", "-h", addr.String())
	s.wait("pmderive>", 1)
	s.keys("C-l", ":set interval 50msec", "Enter", ":watch sample.longlong", "Enter")
	s.wait("▁▁▁▁▁▁▁▁", 3)
	s.keys("C-c")
	s.wait("pmderive>", 1)
	text := s.text()
	if n := strings.Count(text, "red "); n != 1 {
		t.Errorf("%d lines of an instance:\n%s", n, text)
	}
	s.keys("C-d")
	s.gone()
}

// TestTerminalPager: what is longer than the screen is shown by a program, and lines break at words.
func TestTerminalPager(t *testing.T) {
	s := newSized(t, 60, 16, []string{"PAGER=sed 's/^/| /' | tail -3"}, "pmderive", "-a", archivetest.Path(t, "ta"))
	s.wait("46:40>", 1)
	s.keys(":help", "Enter")
	s.wait("|   differences ", 1)
	s.wait("46:40>", 1)
	s.keys("C-l", ":set pager off", "Enter", "C-l")
	s.keys("t.b", "Enter")
	s.wait("2001-09-09 01:46:40 UTC\none ", 1)
	s.keys(":explain t.b * 10 + t.b * t.b / 100 + 10000000", "Enter")
	s.wait("U32 to DOUBLE", 1)
	for line := range strings.Lines(s.text()) {
		if len([]rune(strings.TrimRight(line, "\n"))) > 60 {
			t.Errorf("a line is too long: %s", line)
		}
	}
	if text := s.text(); !strings.Contains(text, "…") || strings.Contains(text, "0,0,0") {
		t.Errorf("the table of :explain:\n%s", text)
	}
	s.keys("C-d")
	s.gone()
}

// TestTerminalLeave: Ctrl-D drops a further line only, and leaving with definitions that are not saved
// takes a second time. The startup file holds from the start.
func TestTerminalLeave(t *testing.T) {
	config := t.TempDir()
	init := filepath.Join(config, "init")
	if err := os.WriteFile(init, []byte("from.init = t.b * 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := []string{"PMDERIVE_INIT=" + init, "XDG_CONFIG_HOME=" + config}
	s := newScreen(t, vars, "-a", archivetest.Path(t, "ta"))
	s.wait("from.init: 32-bit unsigned int", 1)
	s.keys("sum(t.b", "Enter")
	s.wait("...", 1)
	s.keys("C-d")
	s.wait("...", 2)
	s.keys(")", "Enter")
	s.wait("\n150 @", 1)
	s.keys("from.init = t.b * 3", "Enter")
	s.keys("quit", "Enter")
	s.wait("are in no file (1 in all)", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalSignalPager ends the program while another one shows its output and has changed the
// terminal.
func TestTerminalSignalPager(t *testing.T) {
	s := newSized(t, 60, 16, []string{"PS1=shell: ", "PAGER=echo shown; while stty raw; do sleep 0.1; done"}, "bash", "--norc")
	s.wait("shell:", 1)
	pid := filepath.Join(t.TempDir(), "pid")
	s.keys("sh -c 'echo $$ >"+pid+"; exec pmderive -a "+archivetest.Path(t, "ta")+"'", "Enter")
	s.wait("46:40>", 1)
	s.keys(":help", "Enter")
	s.wait("shown", 1)
	if out, err := exec.Command("sh", "-c", "kill -TERM $(cat "+pid+")").CombinedOutput(); err != nil {
		t.Fatalf("kill: %v\n%s", err, out)
	}
	s.wait("shell:", 2)
	s.keys("stty -a | grep -o '.icanon'", "Enter")
	s.wait("\n icanon", 1)
	s.keys("exit", "Enter")
	s.gone()
}

// TestTerminalOdd: keys, and sizes of terminals, that the line editor alone would not survive.
func TestTerminalOdd(t *testing.T) {
	s := newProgram(t, []string{"PS1=shell: ", "PAGER="}, "bash", "--norc")
	s.wait("shell:", 1)
	for n, size := range []string{"cols 80 rows 24", "cols 0 rows 0", "cols 1 rows 1"} {
		s.keys("clear; stty "+size+"; pmderive -a "+archivetest.Path(t, "ta")+" 2>&1; stty cols 80 rows 24; echo ended"+strconv.Itoa(n), "Enter")
		if n == 0 {
			s.wait("46:40>", 1)
		} else {
			time.Sleep(time.Second) // nothing can be read there
		}
		s.keys("x", "C-t", "y", "C-t", "z", "C-c", "sum(", "Tab", "C-r", "x", "C-c", "C-c", "C-d")
		s.wait("\nended"+strconv.Itoa(n), 1)
		if strings.Contains(s.text(), "goroutine") {
			t.Fatalf("%s: %s", size, s.text())
		}
	}
	s.keys("exit", "Enter")
	s.gone()
}

// TestTerminalWords: Ctrl-W takes a word, and keys with Ctrl or Alt move by words.
func TestTerminalWords(t *testing.T) {
	s := newScreen(t, []string{"PAGER="}, "-a", archivetest.Path(t, "ta"))
	s.wait("46:40>", 1)
	s.keys("x", "C-w", "1000 + nosuch.metric", "C-w", "7", "Enter")
	s.wait("\n1007 @", 1)
	s.keys("1000 + 20", "C-Left", "3", "M-Left", "M-Left", "4", "C-Right", "0", "Enter") // 41000 + 0320
	s.wait("\n41320 @", 1)
	s.keys("x 40", "Home", "Right", "C-w", "2", "Enter") // what is behind the cursor stays
	s.wait("2 40", 1)
	s.keys("C-d")
	s.gone()
}

// TestTerminalDumb: a terminal that knows no escape sequences gets none.
func TestTerminalDumb(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("no script(1) here, which records what a terminal gets")
	}
	out := filepath.Join(t.TempDir(), "out")
	s := newProgram(t, []string{"PS1=shell: "}, "bash", "--norc")
	s.wait("shell:", 1)
	s.keys("SHELL=/bin/sh TERM=dumb script -qc 'pmderive -a "+archivetest.Path(t, "ta")+"' "+out, "Enter")
	s.wait("archive /", 1)
	s.keys("sum(t.b", "Enter", ")", "Enter")
	s.wait("150 @", 1)
	s.keys("C-d")
	s.wait("shell:", 2)
	text, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(text), "\x1b") || !strings.Contains(string(text), "150 @") {
		t.Errorf("%q, %v", text, err)
	}
}
