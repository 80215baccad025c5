package main

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/clitest"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/test/golden"
)

// The screens of each command stand in testdata/net: transcripts, as package golden reads them, of the
// commands (in the directory shell), of the items of the prompt (prompt) and of the help for both
// (help). A command line begins with the places that its output goes to: [42 80] are terminals of 42
// and of 80 columns, which show the same; [pipe] is a pipe.
//
// To add a command line, write it without its output and run the test with -update. A line that does
// not begin with places gets terminals of all widths.
//
// Each command line runs in a new directory with the files of testdata/net/files and with archives.
// The commands after ; run in the same directory; cat shows a file that a command has written.

// netWidths are the columns of the terminals.
var netWidths = []string{"42", "80", "140"}

// shownDir stands in transcripts for the directory that command lines run in. Both have the same length, so
// that lines are broken at the same places.
const shownDir = "/tmp/pmtools-net"

// progress matches what is drawn over and over on slow machines, and erased.
var progress = regexp.MustCompile(`\r[^\n]*\r\x1b\[K`)

// TestNet compares the screens of all commands and items with those that are recorded.
func TestNet(t *testing.T) {
	given := t.TempDir()
	s := &screens{given: given, dir: fmt.Sprintf("/tmp/pmtool%06x", rand.Uint32N(1<<24))}
	for _, name := range []string{"demo", "labels", "ta"} {
		if err := archivetest.Build(given, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := archivetest.BuildDemo(given, "spare", 150*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(given, os.DirFS("testdata/net/files")); err != nil {
		t.Fatal(err)
	}
	files := clitest.Files(t, "testdata/net/*/*.txt")
	t.Chdir(given)
	t.Cleanup(func() { os.RemoveAll(s.dir) })
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) { s.replay(t, file) })
	}
}

// The screens of a test are those of command lines that run in a directory with the given files.
type screens struct {
	given, dir string
	fresh      string // the state of dir with the given files only; "" before it is made
}

// replay runs the command lines of a transcript.
func (s *screens) replay(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, recorded, err := golden.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var now []golden.Entry
	for i := 0; i < len(recorded); {
		places, line := placesOf(recorded[i].Line)
		for i++; i < len(recorded); i++ {
			more, next := placesOf(recorded[i].Line)
			if next != line {
				break
			}
			places = append(places, more...)
		}
		now = append(now, s.entries(t, line, places)...)
	}
	got := golden.Format(head, now)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := diff.Diff(strings.Split(string(text), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s differs; -update writes it anew (-recorded +now)\n%s", filepath.Base(file), d)
	}
}

// placesOf returns the places that a command line begins with, and the rest of it.
func placesOf(line string) (places []string, rest string) {
	if list, rest, ok := strings.Cut(line, "] "); ok && strings.HasPrefix(list, "[") {
		return strings.Fields(list[1:]), rest
	}
	return slices.Clone(netWidths), line
}

// entries runs a command line at each place. Places that show the same have one entry.
func (s *screens) entries(t *testing.T, line string, places []string) (list []golden.Entry) {
	for _, place := range places {
		e := s.run(t, line, place)
		if n := len(list); n > 0 && list[n-1].Stdout == e.Stdout && list[n-1].Stderr == e.Stderr && list[n-1].Status == e.Status {
			list[n-1].Line += " " + place
			continue
		}
		e.Line = place
		list = append(list, e)
	}
	for i := range list {
		list[i].Line = "[" + list[i].Line + "] " + line
	}
	return list
}

// run runs the commands of a line in a new directory. The status is the first that is not 0.
func (s *screens) run(t *testing.T, line, place string) (e golden.Entry) {
	s.renew(t)
	words, err := golden.Words(line)
	if err != nil {
		t.Fatal(err)
	}
	for len(words) > 0 {
		command := words
		if i := slices.Index(words, ";"); i >= 0 {
			command, words = words[:i], words[i+1:]
		} else {
			words = nil
		}
		one := s.command(t, command, place)
		e.Stdout, e.Stderr, e.Status = e.Stdout+one.Stdout, e.Stderr+one.Stderr, cmp.Or(e.Status, one.Status)
	}
	host, _ := os.Hostname() // the name of a daemon on a Unix socket
	shown := strings.NewReplacer(s.dir, shownDir, `"unix:","host":"`+host+`"`, `"unix:","host":"HOST"`, "\r", `\r`, "\x1b", `\e`)
	for _, text := range []*string{&e.Stdout, &e.Stderr} {
		*text = shown.Replace(*text)
	}
	return e
}

// renew makes the directory anew, unless it has the given files only, and goes there.
func (s *screens) renew(t *testing.T) {
	if s.fresh != "" && s.state(t) == s.fresh {
		return
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.dir, os.DirFS(s.given)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(s.dir); err != nil {
		t.Fatal(err)
	}
	s.fresh = s.state(t)
}

// state returns the names, the sizes and the times of the files in the directory.
func (s *screens) state(t *testing.T) string {
	var b strings.Builder
	list, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		info, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, d.Name(), info.Size(), info.ModTime())
	}
	return b.String()
}

// command runs one command.
func (s *screens) command(t *testing.T, words []string, place string) (e golden.Entry) {
	if words[0] == "cat" {
		text, err := os.ReadFile(words[1])
		if err != nil {
			t.Fatal(err)
		}
		return golden.Entry{Stdout: string(text)}
	}
	socket := filepath.Join(s.dir, "pmcd")
	if slices.Contains(words, "-h") {
		server := pmcdtest.NewServer(pmcdtest.Sample())
		defer server.Close()
		if _, err := server.Listen("unix", socket); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(socket)
	}
	vars := map[string]string{
		"PCP_CONF": os.Getenv("PCP_CONF"), "HOME": filepath.Join(s.dir, "home"), "TERM": "xterm", "NO_COLOR": "1",
		"EDITOR": "true", "PMCD_SOCKET": socket, "PMCD_PORT": "1",
	}
	if place == "pipe" {
		return clitest.RunWith("pmderive", newCommand, "", words[1:], vars)
	}
	columns, err := strconv.ParseUint(place, 10, 16)
	if err != nil {
		t.Fatalf("[%s]: %v", place, err)
	}
	e.Stdout = onTerminal(t, uint16(columns), func(terminal *os.File) {
		e.Status = clitest.RunTo(terminal, terminal, "pmderive", newCommand, "", words[1:], vars)
	})
	e.Stdout = progress.ReplaceAllString(e.Stdout, "")
	return e
}

// onTerminal calls run with a terminal of some columns to write to, and returns the text that arrives
// there. It skips the test where the system has no pseudo terminals.
func onTerminal(t *testing.T, columns uint16, run func(terminal *os.File)) string {
	t.Helper()
	master, terminal, err := openTerminal(columns)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer master.Close()
	text := make(chan string)
	go func() {
		var b strings.Builder
		_, _ = io.Copy(&b, master) // it ends with an error when nobody has the terminal open
		text <- b.String()
	}()
	func() {
		defer terminal.Close()
		run(terminal)
	}()
	return <-text
}

// openTerminal opens both ends of a pseudo terminal that changes no byte.
func openTerminal(columns uint16) (master, terminal *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns})
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		if _, err = term.MakeRaw(int(terminal.Fd())); err != nil {
			terminal.Close()
		}
	}
	if err != nil {
		master.Close()
	}
	return master, terminal, err
}

// TestNetWhole: each command and its help, and each item of the prompt, has screens.
func TestNetWhole(t *testing.T) {
	var lines strings.Builder
	for _, file := range clitest.Files(t, "testdata/net/*/*.txt") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, entries, err := golden.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			lines.WriteString(e.Line + " \n")
		}
	}
	a := newCommand(&cli.Env{})
	for _, c := range a.newRoot().Commands() {
		if c.Hidden {
			continue
		}
		for _, want := range []string{"pmderive " + c.Name() + " --help ", " " + c.Name() + " "} {
			if !strings.Contains(lines.String(), want) {
				t.Errorf("no command line in testdata/net has %q", want)
			}
		}
	}
	items := regexp.MustCompile(`(?m)^ *:[a-z]+!?`).FindAllString(runIn("", ":help"), -1)
	if len(items) < 30 {
		t.Errorf(":help lists %d items", len(items))
	}
	for _, item := range items {
		item = strings.TrimSpace(item)
		if !regexp.MustCompile(regexp.QuoteMeta("'"+item) + "[ ']").MatchString(lines.String()) {
			t.Errorf("no command line in testdata/net has the item %s", item)
		}
	}
}
