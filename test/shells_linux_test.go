package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/env"
)

// A shell is an interactive one on a terminal.
type shell struct {
	t        *testing.T
	terminal *os.File
	dir      string // where it works, as we see it
	done     chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// startShell starts a shell of this machine, or else of the reference's root, with the commands and
// the program show, which writes its arguments to the file shown.
func startShell(t *testing.T, name string, flags ...string) *shell {
	t.Helper()
	s := &shell{t: t, dir: env.Dir(t), done: make(chan struct{})}
	bin, err := os.MkdirTemp("", "pmbin")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(bin) })
	program, err := exec.LookPath(name)
	words, root := []string{program}, ""
	if err != nil {
		root = os.Getenv("PMTOOLS_PEER")
		if _, missing := os.Stat(filepath.Join(root, "usr/bin", name)); root == "" || missing != nil {
			t.Skipf("no %s here, nor in the root that PMTOOLS_PEER names: its completion is not tried", name)
		}
		if s.dir, err = os.MkdirTemp(filepath.Join(root, "tmp"), "shell"); err != nil {
			t.Skipf("no %s here, and the root cannot be used: %v", name, err)
		}
		t.Cleanup(func() { os.RemoveAll(s.dir) })
		bin = filepath.Join(s.dir, ".bin")
		if err := os.Mkdir(bin, 0o777); err != nil {
			t.Fatal(err)
		}
		words = []string{"chroot", root, "/usr/bin/" + name}
	}
	inside := func(path string) string { return strings.TrimPrefix(path, root) }
	for _, c := range []string{"pminfo", "pmval", "pmderive"} {
		b, err := os.ReadFile(command(t, c))
		if err == nil {
			err = os.WriteFile(filepath.Join(bin, c), b, 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const show = "#!/bin/sh\nfor a; do printf '%s\\0' \"$a\"; done >../shown.new && mv ../shown.new ../shown\n"
	if err := os.WriteFile(filepath.Join(bin, "show"), []byte(show), 0o777); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(s.dir, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(words[0], append(words[1:], flags...)...)
	c.Env = []string{"PATH=" + inside(bin) + ":/usr/bin:/bin", "HOME=" + inside(s.dir), "TERM=dumb", "LC_ALL=C.UTF-8", "PCP_DERIVED_CONFIG=", "WORK=" + inside(work)}
	c.Dir = work
	s.start(c)
	s.line("cd " + inside(work))
	return s
}

// start starts a program on a new terminal.
func (s *shell) start(c *exec.Cmd) {
	s.t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		s.t.Skipf("no terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})
	}
	if err != nil {
		s.t.Skipf("no terminals here: %v", err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		s.t.Skipf("no terminals here: %v", err)
	}
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	c.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		s.t.Skipf("%v does not run here: %v", c.Args, err)
	}
	tty.Close()
	s.terminal = terminal
	go func() {
		defer close(s.done)
		b := make([]byte, 4096)
		for {
			n, err := terminal.Read(b)
			s.mu.Lock()
			s.log.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
			answer(terminal, b[:n])
		}
	}()
	s.t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		terminal.Close()
		<-s.done
		if s.t.Failed() && testing.Verbose() {
			s.t.Logf("the terminal: %q", s.text())
		}
	})
}

// text returns what the terminal has shown.
func (s *shell) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// wait waits until a text is shown.
func (s *shell) wait(text string) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(s.text(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%q is not shown: %q", text, s.text())
		}
	}
}

// answer answers what a shell asks its terminal.
func answer(terminal *os.File, asked []byte) {
	for question, text := range map[string]string{"\x1b[c": "\x1b[?62c", "\x1b[0c": "\x1b[?62c", "\x1b[6n": "\x1b[1;1R"} {
		if bytes.Contains(asked, []byte(question)) {
			terminal.WriteString(text)
		}
	}
}

// line types a line.
func (s *shell) line(text string) { s.keys(text + "\r") }

// keys types keys.
func (s *shell) keys(text string) {
	s.t.Helper()
	if _, err := s.terminal.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// complete types the beginning of a line, TAB, and the rest, and returns the words that the line
// then is for a program, and the files that it made.
func (s *shell) complete(typed, rest string) (words []string, made string) {
	s.t.Helper()
	shown := filepath.Join(s.dir, "shown")
	s.keys(typed + "\t" + rest + "\x01show \r")
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(shown)
		if err != nil {
			continue
		}
		os.Remove(shown)
		files, err := os.ReadDir(filepath.Join(s.dir, "work"))
		if err != nil {
			s.t.Fatal(err)
		}
		for _, f := range files {
			made += " " + f.Name()
			os.Remove(filepath.Join(s.dir, "work", f.Name()))
		}
		return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), made
	}
	s.keys("\x03")
	return nil, ""
}

// shells are the shells that have a completion, and what they run first.
var shells = []struct {
	name, setup string
	flags       []string
}{
	{"bash", "PS1='> '; eval \"$(pminfo --completion bash; pmval --completion bash; pmderive completion bash)\"; bind 'set bell-style none'", []string{"--norc", "--noprofile", "-i"}},
	{"zsh", "PS1='> '; autoload -Uz compinit; compinit -u -D; for c in 'pminfo --' 'pmval --' 'pmderive '; do eval \"$(eval ${c}completion zsh)\"; done", []string{"-f", "-i"}},
	{"fish", "pminfo --completion fish | source; pmval --completion fish | source; pmderive completion fish | source", []string{"--no-config", "-i"}},
}

// inShells runs a test in each shell. Its function try types the beginning of a line, TAB and the rest,
// and compares the last word with the one wanted.
func inShells(t *testing.T, test func(t *testing.T, s *shell, try func(typed, rest, want string))) {
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			s := startShell(t, sh.name, sh.flags...)
			s.line(sh.setup)
			if got, _ := s.complete("pminfo x", ""); len(got) != 2 {
				t.Fatalf("the shell does not answer: %q", got)
			}
			test(t, s, func(typed, rest, want string) {
				t.Helper()
				got, made := s.complete(typed, rest)
				if made != "" {
					t.Errorf("%s: %q and %q made %q", sh.name, typed, rest, made)
				}
				if len(got) == 0 || strings.TrimSpace(got[len(got)-1]) != strings.TrimSpace(want) {
					t.Errorf("%s: %q and %q became %q, want %q", sh.name, typed, rest, got, want)
				}
			})
		})
	}
}

// TestShells: whatever names a daemon has, completion of a shell inserts them as the words that they
// are, in whatever quotes, and runs nothing.
func TestShells(t *testing.T) {
	server := pmcdtest.NewServer(world())
	t.Cleanup(func() { server.Close() })
	addr, err := server.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	inShells(t, func(t *testing.T, s *shell, try func(typed, rest, want string)) {
		before := "pminfo -h " + strings.ReplaceAll(addr.String(), ":", `\:`) + " "
		for i, name := range odd {
			pair, alone, quote := fmt.Sprintf("pair%d.", i), fmt.Sprintf("alone%d.", i), [...]string{"'", `"`}[i%2]
			try(before+pair, "1", pair+name+"1")
			try(before+quote+pair, "1"+quote, pair+name+"1")
			if i < len(odd)/2 {
				try(before+alone, "", alone+name)
			}
		}
		for i := range unfit {
			name := fmt.Sprintf("unfit%d.", i)
			try(before+name, "1", name+"1")
		}
		// The line that is being typed is not run either.
		for _, typed := range []string{"pminfo $(touch made) pair0", "pminfo `touch made` pair0", "pminfo x >made pair0"} {
			s.keys(typed + "\t\x15")
		}
		try(before+fmt.Sprintf("alone%d.a", slices.Index(odd, "a@b")), "", fmt.Sprintf("alone%d.a@b", slices.Index(odd, "a@b")))
		try("pmderive eval --output=js", "", "--output=json")
		try("pminfo --deri", "", "--derived")
	})
}

// terminalLines are command lines whose output has names and texts of a daemon, of which HOST is the address, or of the archive OUT with
// its values; what is typed at the prompt; and what is shown in any case.
var terminalLines = []struct{ line, keys, want string }{
	{"pmderive -h HOST eval m", "", "good ]0;evil"},
	{"pmderive -h HOST eval m[goof]", "", "goof"},
	{"pmderive -h HOST eval -s1 -o csv m n", "", "evil"},
	{"pmderive -h HOST eval -s1 -o csv --wide n", "", "evil"},
	{"pmderive -h HOST eval -s1 -o json m n", "", "evil"},
	{"pmderive -h HOST eval -s1 -o openmetrics n", "", "evil"},
	{"pmderive -h HOST eval -s1 --plot n", "", "evil"},
	{"pmderive -h HOST -h HOST?compass eval -s1 n", "", "evil"},
	{"pmderive -h HOST explain m+1", "", "m"},
	{"pmderive -h HOST describe m", "", "evil"},
	{"pmderive -h HOST describe -o json m", "", "evil"},
	{"pmderive -h HOST find evil", "", "evil"},
	{"pmderive -h HOST find -o csv evil", "", "evil"},
	{"pmderive -h HOST eval no" + evil, "", "no"},
	{"pmderive -h HOST check bad", "", "x"},
	{"pmderive -h HOST deps bad", "", ""},
	{"pmderive -h HOST :source", "", "evil"},
	{"pmderive -h HOST", "m[g\t\t", "good"},
	{"pmderive -h HOST", "n\r:inst n\r:desc m\r:source\r:set color\rn[x]\r", "evil"},
	{"pmderive -a OUT", "n\r:source\r", "evil"},
	{"pmderive -a OUT summarize --instances", "", "evil"},
	{"pmderive -a OUT summarize --instances -o csv", "", "evil"},
	{"pmderive -a OUT summarize --instances -o json", "", "evil"},
	{"pmderive compare OUT OUT --threshold 0", "", ""},
	{"pmderive compare OUT OUT --threshold 0 -o csv", "", ""},
	{"pmderive -a OUT export -o tables n", "", ""},
	{"pmderive -a OUT sql n", "", ""},
	{"pmval -h HOST -s 1 -i goof m", "", "goof"},
	{"pmval -h HOST --output csv -s 1 m", "", "good?]0;evil"},
	{"pmval -h HOST --output json -s 1 m", "", "evil"},
	{"pmval -h HOST -s 1 n", "", "evil"},
	{"pmval -h HOST -s 1 --color n", "", "evil"},
	{"pmval -h HOST -s 1 --plot n", "", "evil"},
	{"pmval -a OUT -s 1 n", "", "evil"},
	{"pmval -h HOST -v -s 1 m", "", "evil"},
	{"pminfo -h HOST m" + evil + "x", "", "m?]0;evil"},
	{"pminfo -h HOST -f", "", "evil"},
	{"pminfo -h HOST -dfmtTIl", "", "evil"},
	{"pminfo -h HOST --json -f m", "", "evil"},
	{"pminfo -a OUT -fl n", "", "evil"},
	{"pminfo -D all -h HOST -f m", "", "evil"},
	{"pmstore -h HOST -i goof m x", "", "goof"},
	{"pmstore -h HOST m 1", "", "evil"},
	{"pmerr " + evil, "", "evil"},
}

// evil has what a terminal obeys, with marks that tell it from what our programs write.
const evil = "\x1b]0;evil\x07\u009b31m\u202eevil\x1b[H\x1b[2Jevil\x7fevil\bevil\revil\x1b[8mevil\x1b[35mevil\xffevil"

// TestTerminals: names, values and texts of a daemon or an archive do not reach a terminal as they are, in any output or message, or the list
// of TAB at the prompt.
func TestTerminals(t *testing.T) {
	t.Parallel()
	w := hostile()
	server := pmcdtest.NewServer(w)
	t.Cleanup(func() { server.Close() })
	addr, err := server.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	c := exec.Command(command(t, "pmderive"), "-h", addr.String(), "eval", "-s1", "--archive-out", out, "m", "n")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	places := strings.NewReplacer("HOST", addr.String(), "OUT", out)
	for _, tt := range terminalLines {
		s := &shell{t: t, dir: t.TempDir(), done: make(chan struct{})}
		if err := os.WriteFile(filepath.Join(s.dir, "bad"), []byte("a.b = x"+evil+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		args := strings.Split(places.Replace(tt.line), " ")
		c := exec.Command(command(t, args[0]), args[1:]...)
		c.Dir = s.dir
		c.Env = append(os.Environ(), "HOME="+s.dir, "TERM=xterm", "PCP_DERIVED_CONFIG=", "PAGER=cat")
		s.start(c)
		if tt.keys != "" {
			s.wait("> ")
			s.keys(tt.keys + "\r:quit\r")
		}
		select {
		case <-s.done:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s does not end", tt.line)
		}
		got := s.text()
		for _, part := range []string{"\x1b]0;evil", "evil\x07", "\u009b", "\u202e", "evil\x1b[H", "evil\x1b[8m", "\x1b[2Jevil", "\x7fevil", "\bevil", "evil\revil", "\x1b[8mevil", "\x1b[35mevil", "\xffevil"} {
			if strings.Contains(got, part) && (part != "\x1b[35mevil" || !strings.Contains(tt.line, "--color")) {
				t.Errorf("%s: %q reaches the terminal: %q", tt.line, part, got)
			}
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q is not in %q", tt.line, tt.want, got)
		}
	}
}

// hostile has a host, instances, values and texts that would control a terminal.
func hostile() *pmcdtest.World {
	id, domain := pcp.NewID(29, 0, 1), pcp.NewInDom(29, 1)
	w := &pmcdtest.World{InDoms: []pmcdtest.InDom{{ID: domain}}}
	m := pmcdtest.Metric{Name: "m", Desc: pcp.Desc{ID: id, Type: pcp.String, InDom: domain, Sem: pcp.Instant}, OneLine: evil, Help: evil}
	n := pmcdtest.Metric{Name: "n", Desc: pcp.Desc{ID: id + 2, Type: pcp.Uint32, InDom: domain, Sem: pcp.Instant}, OneLine: evil, Help: evil}
	for i, name := range []string{"good" + evil, "good\nevil", "good"} {
		w.InDoms[0].Instances = append(w.InDoms[0].Instances, pcp.Instance{ID: int32(i), Name: name})
		m.Values.Insts, n.Values.Insts = append(m.Values.Insts, int32(i)), append(n.Values.Insts, int32(i))
		m.Values.Blobs = append(m.Values.Blobs, []byte(evil))
		n.Values.Words = append(n.Values.Words, uint64(i))
	}
	host := pmcdtest.Metric{Name: "pmcd.hostname", Desc: pcp.Desc{ID: pcp.NewID(2, 0, 21), Type: pcp.String, InDom: pcp.NullInDom, Sem: pcp.Discrete}}
	host.Values.Insts, host.Values.Blobs = []int32{pcp.NullInst}, [][]byte{[]byte("host" + evil)}
	w.Metrics = []pmcdtest.Metric{m, n, host, {Name: "m" + evil, Desc: pcp.Desc{ID: id + 1, Type: pcp.Int32, InDom: pcp.NullInDom}}}
	return w
}
