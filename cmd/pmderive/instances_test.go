package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
)

// oddNames are names of instances that a terminal, a table or a shell might take for something else.
func oddNames() []string {
	return []string{"two words", `a "quote"`, "it's", "tab\there", "line\nbreak", "\x1b[31mred\x1b[0m", "bad\xffbyte", "a,b;c", "\u202eright", "back\\slash", "[x]", "名前"}
}

// buildOdd writes an archive with a counter of so many instances, the first of which have odd names. From
// the record of a number on, all but those grow faster.
func buildOdd(t *testing.T, base string, n, faster int) {
	t.Helper()
	w, err := archive.Create(base, &archive.WriterOptions{Host: "odd", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	dom := pcp.NewInDom(385, 1)
	desc := pcp.Desc{ID: pcp.NewID(385, 0, 1), Type: pcp.Uint64, InDom: dom, Sem: pcp.Counter, Units: pcp.Units{DimCount: 1}}
	if err := w.AddMetric(desc, "odd.count"); err != nil {
		t.Fatal(err)
	}
	odd := oddNames()
	insts, words := make([]pcp.Instance, n), make([]uint64, n)
	column := pcp.Values{ID: desc.ID, Type: desc.Type}
	for i := range insts {
		name := fmt.Sprintf("inst %05d", i)
		if i < len(odd) {
			name = odd[i]
		}
		insts[i] = pcp.Instance{ID: int32(i), Name: name}
		column.Insts = append(column.Insts, int32(i))
	}
	for record := range 6 {
		at := pcp.Timestamp{Sec: 1700000000 + 10*int64(record)}
		if record == 0 {
			if err := w.SetInDom(at, dom, insts); err != nil {
				t.Fatal(err)
			}
		}
		for i := range words {
			words[i] += uint64(10 * (i%7 + 1))
			if record > faster && i >= len(odd) {
				words[i] += 100
			}
		}
		column.Words = words
		if err := w.Put(&pcp.Result{Time: at, Sets: []pcp.Values{column}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOddInstances asks about 10,000 instances, some of them with odd names.
func TestOddInstances(t *testing.T) {
	const n = 10_000
	dir := t.TempDir()
	buildOdd(t, filepath.Join(dir, "a"), n, 6)
	buildOdd(t, filepath.Join(dir, "b"), n, 2)
	t.Chdir(dir)
	for _, line := range []string{
		"-a a find odd", "-a a find words", "-a a find quote", "-a a describe odd.count", "-a a summarize --top 5 --by last odd.count",
		"-a a summarize --instances odd.count", "compare a b --threshold 0", "compare a b --top 0",
	} {
		for _, output := range []string{"table", "csv", "json"} {
			out := runIn("", append(strings.Fields(line), "-o", output)...)
			if strings.Contains(out, "pmderive: ") {
				t.Errorf("%s -o %s: %.200s", line, output, out)
			}
			checkOdd(t, line, output, out)
		}
	}
}

// checkOdd checks that an answer is safe on a terminal, or that programs can read it.
func checkOdd(t *testing.T, line, output, out string) {
	t.Helper()
	switch output {
	case "json":
		for text := range strings.Lines(out) {
			if !json.Valid([]byte(text)) {
				t.Errorf("%s -o json: %.200q", line, text)
			}
		}
	case "csv":
		if _, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil {
			t.Errorf("%s -o csv: %v", line, err)
		}
	default:
		for _, r := range out {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: the table has %q", line, r)
				return
			}
		}
	}
}
