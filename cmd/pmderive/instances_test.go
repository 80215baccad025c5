package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
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
	report := "[odd]\nglobals = no\nodd.count = n,,,,,,2\nhalf = odd.half\nhalf.formula = rate(odd.count) / 2\n" +
		"[some]\nglobals = no\nodd.count = n,'inst 0.*|two words|.*quote.*'\n[most]\nglobals = no\nrank = 100\nsort_metric = odd.count\npredicate = odd.count\n" +
		"odd.count = n\nhalf = odd.half\nhalf.formula = rate(odd.count) / 2\n"
	if err := os.WriteFile("r.conf", []byte(report), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"--config r.conf -a a eval :odd", "--config r.conf -a a eval -t 10sec -s 2 :odd", "--config r.conf -a a eval -t 10sec :most",
		"--config r.conf -a a eval --long -t 10sec :some", "--config r.conf -a a summarize --instances :some", "--config r.conf compare a b :odd",
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

// TestWritten asks about an archive that is being written: the answers are those of what is there, and there
// are more of them later.
func TestWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("r.conf", []byte("[n]\nglobals = no\na.n = n\ntwice = a.twice\ntwice.formula = 2 * a.n\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := archive.Create("a", &archive.WriterOptions{Host: "h", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	desc := pcp.Desc{ID: pcp.NewID(385, 0, 1), Type: pcp.Uint32, InDom: pcp.NullInDom}
	if err := w.AddMetric(desc, "a.n"); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		set := pcp.Values{ID: desc.ID, Type: desc.Type, Insts: []int32{pcp.NullInst}, Words: []uint64{uint64(i)}}
		if err := w.Put(&pcp.Result{Time: pcp.Timestamp{Sec: 1700000000 + int64(i)}, Sets: []pcp.Values{set}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for line, want := range map[string]string{
			"--config r.conf -a a eval -t record -o csv :n":    fmt.Sprintf(",%d,%d\r\n", i, 2*i),
			"--config r.conf -a a summarize -o csv :n":         fmt.Sprintf("a.twice,,,%d,", i+1),
			"-a a describe a.n":                                "recorded",
			"-a a find n":                                      "a.n",
			"--config r.conf compare a a :n --threshold 0":     "0 changed",
			"--config r.conf -a a eval --fail-empty -S @99 :n": "",
		} {
			out := runIn("", strings.Fields(line)...)
			if !strings.Contains(out, want) || i > 0 && want != "" && strings.Contains(out, "pmderive: ") {
				t.Errorf("%d records: %s: %q, want %q", i+1, line, out, want)
			}
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
