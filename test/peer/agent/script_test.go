package agent

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// scriptParts match what differs between two runs of a script, addresses and times.
var scriptParts = regexp.MustCompile(`dump from 0x[0-9a-f]+|timestamps? [0-9:.]+|^Start `)

// marks match what only the reference prints below mistakes.
var marks = regexp.MustCompile(`(?m)^ *\^ at or near here\n`)

// script runs a script inside the reference's root, and returns what it prints.
func (w *agentWorld) script(t *testing.T, command, script string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command("chroot", w.root, "/bin/sh", "-c", "cd "+w.inside+" && exec "+command)
	cmd.Env = append(os.Environ(), "TZ=UTC", "PCP_PMDAS_DIR="+w.inside+"/pmdas", "PCP_VAR_DIR=/var/lib/pcp")
	cmd.Stdin = strings.NewReader(script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, errs.String())
	}
	return scriptParts.ReplaceAllString(marks.ReplaceAllString(out.String(), ""), "X"), errs.String()
}

// scriptWords are what random lines are made of: for each command its arguments, of which one of
// each list is drawn.
var scriptWords = func() [][]string {
	metrics := "sample.long.one sample.bin sample.colour sample.string.hullo sample.double.million sample.float.ten sample.longlong.ten sample.ulonglong.ten " +
		"sample.aggregate.hullo sample.bad.unknown sample.bad.nosupport sample.noinst sample.needprofile sample.string.write_me sample.long.write_me " +
		"sample.ulong.write_me sample.double.write_me sample.float.write_me sample.secret.bar sample.secret.foo sample nosuch.metric 29.0.6 29.0.999 29.0.10 253.0.1 simple.color"
	indoms := "29.1 29.2 29.4 29.5 29.99 253.0"
	nodes := "sample.secret sample.secret.foo sample.secret.bar sample.secret.foo.one sample.nosuch nosuch"
	onOff := "on off maybe"
	return [][]string{
		{"fetch", metrics}, {"fetch", metrics}, {"fetch", metrics, metrics}, {"fetch", metrics, metrics, metrics}, {"desc", metrics},
		{"instance", indoms}, {"instance", indoms, `100 1 0 7 red green bin-100 "red" "fat bald bastard" "fat" colleen fat nosuch "no such"`},
		{"text", metrics}, {"text indom", indoms}, {"label", "context domain nonsense"}, {"label indom", indoms}, {"label instances", indoms},
		{"label item", metrics}, {"label cluster", "29.0 29.1"}, {"name", "29.0.1000 29.0.1001 29.0.6 29.0.999 29.0 x"}, {"pmid", nodes}, {"children", nodes}, {"traverse", nodes},
		{"store", "sample.long.write_me sample.ulong.write_me sample.double.write_me sample.float.write_me sample.longlong.write_me sample.string.write_me sample.bin " +
			"sample.aggregate.hullo sample.noinst sample.needprofile sample.long.one nosuch.metric 29.0.14", `"1" "-0" "2.5" "x" '7' "1e3" " 12" "12 " 7 word`},
		{"profile", indoms, "all none some"}, {"profile", indoms, "add delete", "0 1 2 100 200 -1 x"},
		{"getdesc", onOff}, {"getiname", onOff}, {"attr", `"uid" "username" "nosuch" 11 5 99 x`}, {"attr", `"uid" "gid" 12`, `"0" "root"`},
		{"nonsense"}, {"desc"}, {"instance"}, {"profile"}, {"store"}, {"#", "comment"}, {"close x"}, {"quit", "now"}, {"open", "nonsense"},
	}
}()

// randomLine returns a line of a script.
func randomLine(r *rand.Rand) string {
	parts := scriptWords[r.Intn(len(scriptWords))]
	line := parts[0]
	for _, list := range parts[1:] {
		line += " " + pickWord(r, list)
	}
	return line
}

// pickWord returns one of the words of a list; quotes hold words together.
func pickWord(r *rand.Rand, list string) string {
	words := regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`).FindAllString(list, -1)
	return words[r.Intn(len(words))]
}

// TestScripts runs random scripts in the language of dbpmda on both sides, with the reference's
// sample agent, and compares what is printed.
func TestScripts(t *testing.T) {
	_, _, root := harness.Setup(t)
	w := newAgentWorld(t, root)
	ours, err := os.ReadFile(filepath.Join(os.Getenv("PMTOOLS_BIN"), "pmderive"))
	if err == nil {
		err = os.WriteFile(filepath.Join(w.dir, "pmderive"), ours, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for seed := range int64(harness.Number("PMTOOLS_RUNS", 20)) {
		r := rand.New(rand.NewSource(seed))
		var script strings.Builder
		fmt.Fprint(&script, "fetch 29.0.6\nopen pipe /var/lib/pcp/pmdas/sample/pmdasample -d 29 -l /tmp/pmdasample.log\n")
		for range 60 {
			fmt.Fprintln(&script, randomLine(r))
			lines++
		}
		script.WriteString("close\nfetch 29.0.6\n")
		wantOut, wantErr := w.script(t, "/usr/bin/dbpmda -f -e", script.String())
		gotOut, gotErr := w.script(t, "./pmderive agent -f -e", script.String())
		if gotOut != wantOut || gotErr != wantErr {
			t.Errorf("seed %d: %s", seed, harness.Diff(harness.Outcome{Stdout: []byte(gotOut), Stderr: []byte(gotErr)}, harness.Outcome{Stdout: []byte(wantOut), Stderr: []byte(wantErr)}))
		}
	}
	t.Logf("%d lines", lines)
}
