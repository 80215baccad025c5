package agent

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pmtools/test/peer/harness"

	"pmtools/test/env"
)

// randomHelp returns a source of help texts, in which nothing has two entries if once is set.
func randomHelp(r *rand.Rand, once bool) string {
	var seen []string
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	var b strings.Builder
	b.WriteString(pick("", "text before\n", "# comment\n\n"))
	for range r.Intn(12) {
		what := pick("sample.bin", "sample.colour", "sample.long.one", "simple.color", "29.0.6", "29.0.7", "253.0.1", "253.0.9", "29.1", "29.2", "253.1", "30.1",
			"sample.nosuch", "sample", "29", "29.0.1.2", "999.1.1", "sample.float.one", "sample.dupnames.two.bin", "29.x")
		if key := map[string]string{"sample.dupnames.two.bin": "6", "sample.bin": "6", "29.0.6": "6", "253.0.1": "1", "29.0.1.2": "1", "simple.color": "1",
			"29.1": "i1", "253.1": "i1", "30.1": "i1", "999.1.1": "11"}[what]; once && (slices.Contains(seen, what) || slices.Contains(seen, key)) {
			continue
		} else if seen = append(seen, what); key != "" {
			seen = append(seen, key)
		}
		fmt.Fprintf(&b, "@%s%s%s\n", pick(" ", " ", " ", "", "\t", "  "), what, pick("", " ", " one line", "  two  blanks ", "\ttab", " # no comment", " @ at"))
		for range r.Intn(5) {
			b.WriteString(pick("\n", "text\n", " blank before\n", "blank behind  \n", "# a comment\n", " # no comment\n", strings.Repeat("long ", 100)+"\n", "Ü 8 bits\n"))
		}
		b.WriteString(pick("", "", "", "@\n"))
	}
	return b.String()
}

// TestHelpTexts compiles random sources of help texts on both sides, compares the files byte for
// byte, and what is shown of them.
func TestHelpTexts(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root)
	build := env.Go("build", "-o", filepath.Join(w.dir, "help"), "pmtools/lib/pmda/helptext/help")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const space = " -n /var/lib/pcp/pmns/root "
	run := func(command string) string {
		c := exec.Command("chroot", root, "/bin/sh", "-c", "cd "+w.inside+" && "+command+"; echo status $?")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	entries := 0
	for seed := range int64(harness.Number("PMTOOLS_RUNS", 16)) {
		source := randomHelp(rand.New(rand.NewSource(seed)), seed%2 == 0)
		entries += strings.Count(source, "\n@")
		w.write(t, "source", source)
		ours, theirs := run("./help new"+space+"-o ours source"), run("/usr/lib/pcp/bin/newhelp"+space+"-o theirs source")
		if ours != theirs {
			t.Errorf("seed %d: %s\nours\n%s\ntheirs\n%s", seed, source, ours, theirs)
		}
		for _, suffix := range []string{".dir", ".pag"} {
			got, err := os.ReadFile(filepath.Join(w.dir, "ours"+suffix))
			want, err2 := os.ReadFile(filepath.Join(w.dir, "theirs"+suffix))
			if err != nil || err2 != nil || string(got) != string(want) {
				t.Errorf("seed %d: %s\n%s: %v, %v\n%q\nwant\n%q", seed, source, suffix, err, err2, got, want)
			}
		}
		if seed%2 != 0 {
			continue // which of two entries is shown is up to the search
		}
		for _, o := range []string{"%s", "-i %s", "-p %s", "-O -p %s", "-H -p %s", "-O -H -p -i %s", "%s sample.bin sample.nosuch sample sample.colour sample.float.one simple.color", "-O -H %s sample.bin simple.color"} {
			args := space + fmt.Sprintf(o, "theirs")
			if got, want := run("./help check"+args), run("/usr/lib/pcp/bin/chkhelp"+args); got != want {
				t.Errorf("seed %d: check%s\n%s\nwant\n%s", seed, args, got, want)
			}
		}
	}
	t.Logf("%d entries", entries)
}
