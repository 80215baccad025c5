package test

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/safefile/safefiletest"
)

// Command lines that read FILE, write to FILE, or ask HOST. A word before the program is a variable.
var waitReads, waitWrites, waitHosts = strings.Split(strings.TrimSpace(`
pminfo -a FILE -f x
pminfo -a DEMO,FILE -f kernel.all.load
pminfo -n FILE -f x
pminfo -N FILE
PCP_FOLIO=FILE pminfo x
PCP_ARCHIVE=FILE pminfo x
PCP_NAMESPACE=FILE pminfo
PCP_CONF=FILE pminfo -L hinv.ncpu
PCP_DERIVED_CONFIG=FILE pminfo -L hinv.ncpu
PCP_INDOM_CONFIG=FILE pminfo -a DEMO kernel.all.load
PCP_TLSCONF_PATH=FILE pminfo -h 127.0.0.1:1 x
pmval -a FILE x
pmval -U FILE x
pmval -n FILE x
pmstore -n FILE x 1
pmerr -D FILE 1
pmderive -a FILE x
pmderive -a FILE
pmderive -a FILE record rec x
pmderive -a FILE eval x
pmderive -a FILE eval x --archive-out out
pmderive -a FILE explain x
pmderive -a FILE describe x
pmderive -a FILE find x
pmderive -a FILE summarize
pmderive -a FILE check defs
pmderive -a FILE deps defs
pmderive -a FILE list
pmderive -a FILE export -o out
pmderive -a FILE push --queue q --to http://127.0.0.1:1 x
pmderive -a FILE sql x
pmderive -a FILE test cases
pmderive -a FILE install --dir out defs
pmderive -a FILE agent script
pmderive compare FILE DEMO
pmderive compare DEMO FILE
pmderive check FILE
pmderive fmt FILE
pmderive deps FILE
pmderive test FILE
pmderive install --dir out FILE
pmderive agent FILE
pmderive compact FILE
pmderive expire --before 2024-05-06 FILE
pmderive sql -m FILE x
pmderive sql -m DEMO --hosts FILE x
pmderive sql --tables FILE x
pmderive eval --hosts FILE x
pmderive push --queue q --to http://127.0.0.1:1 --hosts FILE x
pmderive push --queue q --to http://127.0.0.1:1 --user u --password-file FILE -a DEMO kernel.all.load
pmderive push --queue q --to http://127.0.0.1:1 --token-file FILE -a DEMO kernel.all.load
pmderive push --queue q --to https://127.0.0.1:1 --ca-file FILE -a DEMO kernel.all.load
pmderive reports --config FILE
pmderive -a DEMO eval --config FILE :r
pmderive -a DEMO eval -n FILE kernel.all.load
pmderive test cases --definitions FILE
pmderive -a DEMO :include\ FILE
pmderive -a DEMO :load\ FILE
pmderive -a DEMO :source\ FILE
PCP_DERIVED_CONFIG=FILE pmderive list
pmderive __complete -a FILE eval x
pmderive __complete check FILE
pmderive __complete -h x
`), "\n"), strings.Split(strings.TrimSpace(`
PCP_STDERR=FILE pminfo -Z # x
pmval -a DEMO -s 1 --output-file FILE kernel.all.load
pmderive fmt -w FILE
pmderive install --dir FILE defs
pmderive uninstall --dir FILE x
pmderive push --queue FILE --to http://127.0.0.1:1 -a DEMO kernel.all.load
pmderive -a DEMO eval kernel.all.load --output-file FILE
pmderive -a DEMO eval kernel.all.load --archive-out FILE
pmderive -a DEMO eval kernel.all.load --plot FILE
pmderive -a DEMO export -o FILE
pmderive test cases --junit FILE
pmderive test cases --keep FILE
pmderive -a DEMO a.b=1 :save\ FILE
pmderive -L record FILE sample.bin
PMDERIVE_HISTORY=FILE pmderive -L hinv.ncpu
`), "\n"), strings.Split(strings.TrimSpace(`
pminfo -h HOST -f x
PCP_HOST=HOST pminfo x
PMCD_SOCKET=SOCKET pminfo x
PMPROXY_HOST=127.0.0.1 pminfo -h HOST x
pmval -h HOST x
pmval -p PORT -a DEMO kernel.all.load
pmval HOST:x
pmstore -h HOST x 1
pmderive -h HOST x
pmderive -h HOST
pmderive -h HOST eval x
pmderive -h HOST -h 127.0.0.1:1 eval x
pmderive -h HOST eval x --archive-out out
pmderive -h HOST explain x
pmderive -h HOST describe x
pmderive -h HOST find x
pmderive -h HOST summarize
pmderive -h HOST check defs
pmderive -h HOST deps defs
pmderive -h HOST list
pmderive -h HOST export -o out
pmderive -h HOST push --queue q --to http://127.0.0.1:1 x
pmderive -h HOST sql x
pmderive -h HOST install --dir out defs
pmderive -h HOST record rec x
pmderive -h HOST lsp
pmderive compare -h HOST -h HOST?compress
pmderive compare DEMO -h HOST
pmderive -a DEMO :source\ host\ HOST
pmderive -a DEMO push --queue q --to http://HOST/ kernel.all.load
pmderive -L push --queue q --to http://HOST/ hinv.ncpu
pmderive -a DEMO export -o s3://bucket/prefix
pmderive compact s3://bucket/prefix
pmderive expire --before 2024-05-06 s3://bucket/prefix
pmderive sql --tables s3://bucket/prefix x
pmderive __complete -h HOST eval x
`), "\n")

// waitRuns is how many command lines are tried, drawn at random.
const waitRuns = 40

// TestHangs: no command hangs, whatever the file or the host is that it is given: a pipe without another end, a directory, a device without an
// end or without room, a server that says nothing, one that is not there. A signal ends what waits. PMTOOLS_RUNS=all tries each.
func TestHangs(t *testing.T) {
	t.Parallel()
	bin, archive := commands(t), filepath.Join(demo(t), "demo")
	silent := listens(t, "tcp", "127.0.0.1:0")
	socket := filepath.Join(t.TempDir(), "s")
	listens(t, "unix", socket)
	_, port, _ := net.SplitHostPort(silent)
	free := make(chan struct{}, 16)
	var wg sync.WaitGroup
	try := func(line string, sig syscall.Signal, places ...string) {
		places = append(places, "DEMO", archive, "PORT", port, "SOCKET", socket)
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			endsBySignal(t, bin, line, sig, strings.NewReplacer(places...))
		})
	}
	type run struct{ line, place, with string }
	var runs []run
	for _, file := range []string{"fifo", "dir", "/dev/zero", "/dev/null", "/dev/full", socket} {
		for _, line := range waitReads {
			runs = append(runs, run{line, "FILE", file})
		}
	}
	for _, file := range []string{"fifo", "dir"} { // a file beside a device would be one of the system
		for _, line := range waitWrites {
			runs = append(runs, run{line, "FILE", file})
		}
	}
	for _, host := range []string{silent, "127.0.0.1:1", "unix:" + socket} {
		for _, line := range waitHosts {
			runs = append(runs, run{line, "HOST", host})
		}
	}
	if os.Getenv("PMTOOLS_RUNS") != "all" {
		seed := safefiletest.Seed(t)
		t.Logf("PMTOOLS_SEED=%d", seed)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		runs = append(runs[:waitRuns], run{"pmderive -a FILE summarize", "FILE", "fifo"}, run{"pmderive compare DEMO FILE", "FILE", "fifo"})
	}
	for i, r := range runs {
		sig := syscall.SIGINT
		if i%4 == 3 {
			sig = syscall.SIGTERM
		}
		try(r.line, sig, r.place, r.with)
	}
	wg.Wait()
}

// listens returns the address of a server that never answers.
func listens(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip("no sockets here: ", err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// endsBySignal runs a command line, sends it a signal after a second, and waits for its end.
func endsBySignal(t *testing.T, bin, line string, sig syscall.Signal, places *strings.Replacer) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o777); err != nil {
		t.Error(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{"defs": "a.b = kernel.all.load\n", "script": "status\n",
		"cases": "step 1s\nmetric a u32 instant count\n  value 1 2 3\ncase a\n  eval a + 1\n    value 2 3 4\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	words := strings.Split(strings.ReplaceAll(line, `\ `, "\x00"), " ")
	for i := range words {
		words[i] = places.Replace(strings.ReplaceAll(words[i], "\x00", " "))
	}
	first := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "pm") })
	c := exec.Command(filepath.Join(bin, words[first]), words[first+1:]...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), "HOME="+dir, "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b", "AWS_ENDPOINT_URL="+places.Replace("http://HOST")), words[:first]...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Error(err)
		return
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // the status is that of an error, or of the signal
		close(ended)
	}()
	for _, wait := range []time.Duration{time.Second, patience} {
		select {
		case <-ended:
			return
		case <-time.After(wait):
			_ = c.Process.Signal(sig) // it may have ended
		}
	}
	t.Errorf("%q does not end by %v: %.1000s", words, sig, out.String())
	_ = c.Process.Kill()
	<-ended
}
