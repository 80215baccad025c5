package test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/safefile/safefiletest"
)

// secretSpecs are specifications with a password. Those with ADDR reach a daemon, which asks for none: the reference takes no
// attribute from them.
var secretSpecs = []string{
	"nohost.invalid?username=u&password=SECRET",
	"nohost.invalid?username=u&password=a SECRET",
	"nohost.invalid?password=a\"b'SECRET\nSECRET&username=u",
	"nohost.invalid?username=u&password=a&SECRET",
	"nohost.invalid?pass=a%26SECRET?pass=SECRET",
	"nohost.invalid?username=u&password=\u00e4SECRET%zz",
	"nohost.invalid:x?PASSWORD=SECRET",
	"[nohost.invalid?password=SECRET]",
	"[nohost.invalid?password=SECRET",
	"password=SECRET",
	"?password=SECRET",
	"nohost.invalid@proxy.invalid?username=u&password=SECRET,b",
	"unix:/nowhere/socket?username=u&password=a SECRET",
	"local:nowhere/password=SECRET",
	"ADDR/?username=u&password=a SECRET",
	"ADDR?username%3Du%26PASSWORD=a SECRET",
}

// A secretPlace is a command line that takes a specification, where it has SPEC: as an argument, in a variable, in a file, in the
// JSON of a file, or on standard input.
type secretPlace struct {
	args  []string
	env   string
	file  string // the content of hosts
	input string
}

func secretPlaces() []secretPlace {
	var places []secretPlace
	add := func(args ...string) { places = append(places, secretPlace{args: args}) }
	for _, program := range []string{"pminfo", "pmval -s1", "pmstore"} {
		words := strings.Fields(program)
		add(append(words, "-D", "all", "-h", "SPEC", "m", "1")[:len(words)+5]...)
		add(append(words, "-D", "all", "-a", "DEMO,SPEC", "m")...)
		for _, name := range []string{"PCP_HOST", "PCP_ARCHIVE", "PCP_HOST_LIST", "PMPROXY_HOST"} {
			places = append(places, secretPlace{args: append(words, "-D", "all", "m"), env: name})
		}
	}
	add("pmstore", "-h", "SPEC", "m", "1")
	add("pmval", "-s1", "SPEC:m")
	add("pmval", "-s1", "SPEC/m")
	add("pmval", "-s1", "SPEC:m[")
	add("pmval", "-s1", "-h", "SPEC", "-o", "csv", "m")
	for _, verb := range []string{"", "eval -s1", "eval -s1 -o csv", "eval -s1 -o json", "eval -s1 -o openmetrics", "eval -s2 -t10ms --archive-out out", "explain", "describe",
		"check --syntax", "find", "deps", "compare -t10ms -s2", "export -s2 -t10ms --output tables", "push -t10ms -T0.2sec --queue q --to URL", "push --as-named -t10ms -T0.2sec --queue q --to URL", "sql", "list"} {
		words := append([]string{"pmderive"}, strings.Fields(verb)...)
		for _, option := range []string{"-h", "-a"} {
			add(append(words, option, "SPEC", "m")...)
			add(append(words, option, "DEMO", option, "SPEC", "-D", "all", "m")...)
		}
		add(append(words, "-h", "nohost.invalid", "-h", "SPEC", "m")...)
		add(append(words, "-h", "SPEC", "-h", "SPEC", "m")...)
		places = append(places, secretPlace{args: append(words, "m"), env: "PCP_HOST"}, secretPlace{args: append(words, "m"), env: "PCP_ARCHIVE"})
	}
	for _, verb := range []string{"eval -s1", "push -t10ms -T0.2sec --queue q --to URL", "push --as-named -t10ms -T0.2sec --queue q --to URL", "sql"} {
		words := append([]string{"pmderive"}, strings.Fields(verb)...)
		for _, text := range []string{"SPEC\n", "nohost.invalid\nSPEC\nSPEC", `[{"targets": [QUOTED]}]`, `[{"targets": [QUOTED, 1`, "SPEC\x00"} {
			places = append(places, secretPlace{args: append(words, "--hosts", "hosts", "m"), file: text}, secretPlace{args: append(words, "--hosts", "-", "m"), input: text})
		}
		add(append(words, "--hosts", "SPEC", "m")...)
	}
	for _, item := range []string{":source host SPEC", ":source host nohost.invalid SPEC", ":source archive SPEC", ":source SPEC", ":source SPEC m"} {
		add("pmderive", item, ":source", "m", ":record -s 1 -t 10msec out m")
		places = append(places, secretPlace{args: []string{"pmderive"}, input: item + "\n:source\nm\n"})
	}
	add("pmderive", "-h", "SPEC", ":record -s 1 -t 10msec out m", ":source")
	add("pmderive", "-h", "SPEC", "record", "-s1", "out", "m")
	add("pmderive", "compare", "DEMO", "SPEC")
	add("pmderive", "summarize", "-a", "SPEC")
	add("pmderive", "compare", "-h", "SPEC", "-h", "nohost.invalid", "-t10ms", "-s2", "m")
	add("pmderive", "__complete", "-h", "SPEC", "m")
	add("pmderive", "__complete", "compare", "-h", "SPEC", "-h", "")
	return places
}

// secretRuns is how many specifications at a place are tried, drawn at random.
const secretRuns = 40

// TestSecrets: no password of a specification is in the output of a command, in its messages or in a file that it writes,
// whatever the specification is like and wherever it stands. PMTOOLS_RUNS=all tries each at each place, in minutes.
func TestSecrets(t *testing.T) {
	t.Parallel()
	server := pmcdtest.NewServer(world())
	t.Cleanup(func() { server.Close() })
	addr, err := server.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	db := &remotewritetest.Database{}
	receiver := httptest.NewServer(db)
	t.Cleanup(receiver.Close)
	bin := commands(t)
	archive := filepath.Join(demo(t), "demo")
	try := func(place secretPlace, spec string) {
		spec = strings.ReplaceAll(spec, "ADDR", addr.String())
		places := strings.NewReplacer("SPEC", spec, "QUOTED", strconv.Quote(spec), "DEMO", archive, "URL", receiver.URL)
		if lines := place.file + place.input; strings.Contains(spec, "\n") && strings.Contains(lines, "SPEC") {
			return // a line is a host
		}
		if out := place.run(t, bin, places, spec); strings.Contains(out, "SECRET") {
			t.Errorf("%+v with %q:\n%s", place, spec, out)
		}
	}
	type pair struct {
		place secretPlace
		spec  string
	}
	var pairs []pair
	for _, place := range secretPlaces() {
		for _, spec := range secretSpecs {
			pairs = append(pairs, pair{place, spec})
		}
	}
	if os.Getenv("PMTOOLS_RUNS") != "all" {
		seed := safefiletest.Seed(t)
		t.Logf("PMTOOLS_SEED=%d", seed)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		pairs = pairs[:secretRuns]
	}
	try(secretPlace{args: strings.Fields("pmderive push --as-named -t10ms -T0.2sec --queue q --to URL -h SPEC m")}, secretSpecs[len(secretSpecs)-1])
	free := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for _, p := range pairs {
		free <- struct{}{}
		wg.Go(func() {
			try(p.place, p.spec)
			<-free
		})
	}
	wg.Wait()
	if text := fmt.Sprint(db.Series(), db.Metadata()); len(db.Series()) == 0 || strings.Contains(text, "SECRET") {
		t.Errorf("the database has got %s", text)
	}
}

// run runs a command and returns what it has written, with the files.
func (p *secretPlace) run(t *testing.T, bin string, places *strings.Replacer, spec string) string {
	dir := t.TempDir()
	args := make([]string, len(p.args))
	for i, a := range p.args {
		args[i] = places.Replace(a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(bin, args[0]), args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "PMDERIVE_HISTORY="+filepath.Join(dir, "history"), "XDG_STATE_HOME="+dir)
	if p.env != "" {
		c.Env = append(c.Env, p.env+"="+spec)
	}
	c.Stdin = strings.NewReader(places.Replace(p.input))
	const hosts = "hosts"
	if p.file != "" {
		if err := os.WriteFile(filepath.Join(dir, hosts), []byte(places.Replace(p.file)), 0o600); err != nil {
			t.Error(err)
		}
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	_ = c.Run() // most of them fail
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && name != hosts {
			fmt.Fprintf(&out, "%s\n", name)
			if d.Type().IsRegular() {
				text, _ := os.ReadFile(path)
				out.Write(text)
			}
		}
		return nil
	})
	return out.String()
}
