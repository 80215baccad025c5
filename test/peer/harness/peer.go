package harness

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmns"
	"pmtools/test/env"
	"pmtools/test/golden"
)

// The reference has a configuration of its own, in its root or on this machine.
func init() { os.Unsetenv("PCP_CONF") }

// Setup returns the two sides and the reference's root, or skips the test: the root is named by
// PMTOOLS_PEER, our commands by PMTOOLS_BIN.
func Setup(t *testing.T) (ours, theirs Side, root string) {
	t.Helper()
	root = os.Getenv("PMTOOLS_PEER")
	if root == "" {
		t.Skip("PMTOOLS_PEER does not name a root of the reference (make peer sets it): no differential run")
	}
	bin := os.Getenv("PMTOOLS_BIN")
	if bin == "" {
		t.Fatal("PMTOOLS_BIN does not name the directory of our commands")
	}
	return Side{bin}, Side{filepath.Join(root, "bin-host")}, root
}

// Live returns what makes both sides talk to the reference's daemon, or skips if that is not
// running (peer-up --pmcd starts it).
func Live(t *testing.T) []string {
	t.Helper()
	_, _, root := Setup(t)
	socket := filepath.Join(root, "run/pcp/peer.socket")
	c, err := net.DialTimeout("unix", socket, 5*time.Second)
	if err != nil {
		t.Skipf("the reference's daemon is not running, live sources are not compared: %v", err)
	}
	c.Close()
	return []string{"PMCD_SOCKET=" + socket, "PMCD_PORT=45399", "PCP_RUN_DIR=" + filepath.Dir(socket)}
}

// Compile compiles a C program with the reference's libraries, inside the root, and returns the words
// that run it outside. Without the headers of libpcp the test is skipped.
func Compile(t *testing.T, root, source string, libs ...string) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, "usr/include/pcp/pmapi.h")); err != nil {
		t.Skip("the root has no headers of libpcp (peer-up --pmcd installs them): its library is not compared")
	}
	code, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "driver")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "driver.c"), code, 0o666); err != nil {
		t.Fatal(err)
	}
	inside := "/tmp/" + filepath.Base(dir)
	out, err := exec.Command("chroot", append([]string{root, "gcc", "-O1", "-Wall", "-o", inside + "/driver", inside + "/driver.c"}, libs...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return append(Loader(t, root), filepath.Join(dir, "driver"))
}

// Loader returns the words that run a program of the root outside it, but for the program.
func Loader(t *testing.T, root string) []string {
	t.Helper()
	loader, _ := filepath.Glob(filepath.Join(root, "lib*/ld-linux-*.so.*"))
	libs, _ := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu"))
	if len(loader) == 0 || len(libs) == 0 {
		t.Fatal("the root has no loader")
	}
	return []string{loader[0], "--library-path", libs[0]}
}

// Number returns the number in an environment variable, or another.
func Number(name string, or int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return or
}

// Suite returns the base names of the archives in one of PCP's test directories.
func Suite(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	member := regexp.MustCompile(`^(.+)\.(?:meta|index|\d+)(?:\.(?:xz|lzma|bz2|bz|gz|Z|z|zst))?$`)
	seen := map[string]bool{}
	for _, e := range entries {
		if m := member.FindStringSubmatch(e.Name()); m != nil && !e.IsDir() {
			seen[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Own writes the project's own archives into a directory, or skips the test like Setup.
func Own(t *testing.T, names ...string) string {
	t.Helper()
	Setup(t)
	dir := t.TempDir()
	cmd := env.Go(append([]string{"run", "pmtools/test/mkarchive", dir}, names...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mkarchive: %v\n%s", err, out)
	}
	return dir
}

// NameSpace writes the names of a source, given by its options, into a name space file in dir, those
// of every third metric below "also" too, and returns its name.
func NameSpace(t *testing.T, ours Side, root, dir string, source ...string) string {
	t.Helper()
	o, err := ours.Run(Command{Args: append([]string{"pminfo", "-m"}, source...)}, root)
	if err != nil {
		t.Fatal(err)
	}
	var names pmns.Tree
	for i, l := range strings.Split(string(o.Stdout), "\n") {
		name, id, _ := strings.Cut(l, " PMID: ")
		var domain, cluster, item uint32
		if n, _ := fmt.Sscanf(id, "%d.%d.%d", &domain, &cluster, &item); n < 3 || domain == pcp.DynamicDomain {
			continue
		}
		names.Add(name, pcp.NewID(domain, cluster, item))
		if i%3 == 0 {
			names.Add("also."+name, pcp.NewID(domain, cluster, item))
		}
	}
	f, err := os.CreateTemp(dir, "names")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(names.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// WriteFiles writes files into a new directory.
func WriteFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// CaseLines returns the words of each line of a file of cases, with \n and \t turned into
// characters.
func CaseLines(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		words, err := golden.Words(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line))
		if err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		if len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// Clock is a time of day with a fraction.
var Clock = regexp.MustCompile(`\d\d:\d\d:\d\d\.\d+`)

// Moving matches metrics whose values depend on the time, on chance, on processes or on what else
// the daemon was asked.
var Moving = regexp.MustCompile(`^(sample\.(seconds|milliseconds|load|lights|magnitude|drift|noise|bucket|mirage|mirage_longlong|daemon_pid|` +
	`dupnames\.(daemon_pid|pid_daemon|two\.(seconds|lights)|five\.bucket)|sysinfo|rapid|(k|)byte_.*|percontext\..*|recv_pdu|xmit_pdu|pdu|datasize|` +
	`const_rate\.value|dodgey\.value|scramble\.bin|ulonglong\.bin(_ctr)?|proc\..*|not_ready.*|event\..*)|simple\.(now|time\..*)|trivial\..*)$`)

// Beside puts the files that a transcript names beside the archives, so that the paths in messages
// are short.
func Beside(args []string, own, dir string) []string {
	for _, a := range args {
		if text, err := os.ReadFile(filepath.Join(dir, a)); err == nil && !strings.Contains(a, "/") {
			// a copy that cannot be made is missed by the command itself
			_ = os.WriteFile(filepath.Join(own, a), text, 0o666)
		}
	}
	return args
}
