package derive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"

	"pmtools/test/peer/harness"
)

// A formula is an expression with a name that is taken for it.
type formula struct{ name, text string }

// shippedFormulas returns the definitions in the files of derived metrics that the reference ships,
// and the formulas of its pmrep configurations.
func shippedFormulas(t *testing.T, root string) []formula {
	t.Helper()
	var list []formula
	files, _ := filepath.Glob(filepath.Join(root, "etc/pcp/derived/*.conf"))
	for _, file := range files {
		for _, line := range joinedLines(t, file) {
			left, right, ok := strings.Cut(line, "=")
			left = strings.TrimSpace(left)
			if ok && !strings.HasPrefix(line, "#") && !strings.Contains(left, "(") {
				list = append(list, formula{left, strings.TrimSpace(right)})
			}
		}
	}
	shipped := len(list)
	files, _ = filepath.Glob(filepath.Join(root, "etc/pcp/pmrep/*.conf"))
	for i, file := range files {
		for j, f := range reportFormulas(t, file) {
			list = append(list, formula{fmt.Sprintf("pmrep.f%d.m%d", i, j), f})
		}
	}
	if shipped < 50 || len(list) < shipped+100 {
		t.Fatalf("only %d definitions and %d formulas", shipped, len(list)-shipped)
	}
	return list
}

// joinedLines returns the logical lines of a file.
func joinedLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(string(text), "\\\n", ""), "\n")
}

// reportFormulas returns the formulas of a pmrep configuration. They go on in lines that begin with
// a blank.
func reportFormulas(t *testing.T, file string) []string {
	t.Helper()
	var list []string
	inside := false
	for _, line := range joinedLines(t, file) {
		left, right, ok := strings.Cut(line, "=")
		switch {
		case inside && strings.HasPrefix(line, " ") && strings.TrimSpace(line) != "":
			list[len(list)-1] += " " + strings.TrimSpace(line)
		case ok && strings.HasSuffix(strings.TrimSpace(left), ".formula"):
			list = append(list, strings.TrimSpace(right))
			inside = true
		default:
			inside = false
		}
	}
	return list
}

// parallel calls f with 0 to n-1, some at once.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// writeFormulas writes definitions to a file.
func writeFormulas(t *testing.T, list []formula) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "check.conf")
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s = %s\n", f.name, f.text)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// checked returns what pmderive check says of the definitions in a file over a source: the message
// for each that is wrong.
func checked(t *testing.T, ours harness.Side, root string, source, env []string, file string, list []formula) map[string]string {
	t.Helper()
	o, err := ours.Run(harness.Command{Args: append(append([]string{"pmderive"}, source...), "check", "--output", "json", file), Env: env}, root)
	if err != nil || o.Status > 1 {
		t.Fatalf("status %d, %v\n%s", o.Status, err, o.Stderr)
	}
	wrong := make(map[string]string)
	for lines := bufio.NewScanner(bytes.NewReader(o.Stdout)); lines.Scan(); {
		var d struct {
			Severity, Metric, Message string
			Line                      int
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		if d.Severity == "error" {
			wrong[list[d.Line-1].name] = d.Message
		}
	}
	return wrong
}

// checkKnown are expressions that we and the reference judge differently on purpose (derived.md
// D16).
var checkKnown = map[string]bool{
	"matchinst(/m-4/,sample.mirage/2)":          true, // 1: to the reference a second pattern begins there
	"(no.such) ? sample.mirage : sample.mirage": true, // 14: an unknown guard is reported
}

// compareChecks checks definitions on both sides: those that one side takes, the other must take.
// The reference is asked about each by itself; it gets the others only where metadata of theirs is
// wanted, since mistakes in one can spoil another.
func compareChecks(t *testing.T, source, env []string, list []formula) {
	t.Helper()
	ours, theirs, root := harness.Setup(t)
	file := writeFormulas(t, list)
	wrong := checked(t, ours, root, source, env, file, list)
	var mu sync.Mutex
	agree, invalid, crashed, known := 0, 0, 0, 0
	parallel(len(list), func(i int) {
		f := list[i]
		args := append([]string{"pminfo", "-m"}, source...)
		if strings.Contains(f.text, "meta=") {
			args = append(args, "-c", file, f.name)
		} else {
			args = append(args, "-r", "x.y="+f.text, "x.y")
		}
		o, err := theirs.Run(harness.Command{Args: args, Env: env}, root)
		mu.Lock()
		defer mu.Unlock()
		msg, refused := wrong[f.name]
		switch {
		case err != nil:
			t.Error(err)
		case o.Crashed():
			crashed++
		case checkKnown[f.text]:
			known++
		case (o.Status != 0) == refused:
			agree++
			if refused {
				invalid++
			}
		default:
			t.Errorf("%v: %s = %s: ours %q, theirs status %d\n%s", source, f.name, f.text, msg, o.Status, o.Stderr)
		}
	})
	t.Logf("%v: %d definitions, %d agree (%d of them invalid), %d known to differ, the reference crashed on %d", source, len(list), agree, invalid, known, crashed)
}

// TestPmderiveCheck compares check over the definitions that the reference ships with what the
// reference itself takes, over archives.
func TestPmderiveCheck(t *testing.T) {
	_, _, root := harness.Setup(t)
	list := shippedFormulas(t, root)
	suite := filepath.Join(root, "var/lib/pcp/testsuite/archives")
	for _, a := range []string{"20180416", "20190628.04.03", "sample_expr", filepath.Join("multi_v3", "..", "pyapi")} {
		t.Run(filepath.Base(a), func(t *testing.T) { compareChecks(t, []string{"-a", filepath.Join(suite, a)}, nil, list) })
	}
}

// TestPmderiveCheckLive is the same over the daemon.
func TestPmderiveCheckLive(t *testing.T) {
	_, _, root := harness.Setup(t)
	compareChecks(t, []string{"-h", "local:"}, harness.Live(t), shippedFormulas(t, root))
}

// TestPmderiveExpressions compares check over the expressions of cases/expressions.txt.
func TestPmderiveExpressions(t *testing.T) {
	_, _, root := harness.Setup(t)
	byArchive := make(map[string][]formula)
	for i, e := range readExpressions(t, root) {
		if strings.TrimSpace(e.text) == e.text && e.text != "" && !strings.Contains(e.text, "\\") {
			byArchive[e.archive] = append(byArchive[e.archive], formula{fmt.Sprintf("x.m%d", i), e.text})
		}
	}
	for a, list := range byArchive {
		t.Run(filepath.Base(a), func(t *testing.T) { compareChecks(t, []string{"-a", a}, nil, list) })
	}
}

// TestPmderiveFormat formats the files of derived metrics that the reference ships. On both sides
// the result defines what the file did.
func TestPmderiveFormat(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	files, _ := filepath.Glob(filepath.Join(root, "etc/pcp/derived/*.conf"))
	archive := filepath.Join(root, "var/lib/pcp/testsuite/archives/20190628.04.03")
	dir := t.TempDir()
	// The formulas of reports are longer than what is shipped.
	all := filepath.Join(dir, "formulas.conf")
	var b strings.Builder
	for _, f := range shippedFormulas(t, root) {
		fmt.Fprintf(&b, "%s=%s\n%s(oneline)=text of %s\n", f.name, f.text, f.name, f.name)
	}
	if err := os.WriteFile(all, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, all) {
		o, err := ours.Run(harness.Command{Args: []string{"pmderive", "fmt", file}}, root)
		if err != nil || o.Status != 0 {
			t.Errorf("%s: status %d, %v\n%s", file, o.Status, err, o.Stderr)
			continue
		}
		formatted := filepath.Join(dir, "formatted.conf")
		if err := os.WriteFile(formatted, o.Stdout, 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := ours.Run(harness.Command{Args: []string{"pmderive", "fmt", formatted}}, root)
		if err != nil || !bytes.Equal(again.Stdout, o.Stdout) {
			t.Errorf("%s: formatting twice changes it: %v", file, err)
		}
		for _, side := range []harness.Side{ours, theirs} {
			for _, options := range []string{"-dtfm", "-T"} {
				args := []string{"pminfo", options, "-a", archive, "-c"}
				before, err := side.Run(harness.Command{Args: append(args, file)}, root)
				if err != nil {
					t.Fatal(err)
				}
				after, err := side.Run(harness.Command{Args: append(args, formatted)}, root)
				if err != nil {
					t.Fatal(err)
				}
				if !before.Equal(after) {
					t.Errorf("%s with %s in %s means something else:\n%s", file, options, side.Bin, harness.Diff(after, before))
				}
			}
		}
	}
}

// TestPmderiveSave saves definitions inside each other and loads them in the reference, where they
// have the same values.
func TestPmderiveSave(t *testing.T) {
	ours, theirs, root := harness.Setup(t)
	dir := t.TempDir()
	archive := filepath.Join(harness.Own(t, "ta"), "ta")
	saved := filepath.Join(dir, "saved.conf")
	items := `n.a = t.b * 2
n.a(oneline) = twice "b" \ back
n.a(helptext) = "two lines:
n.b = n.a + t.c
n.c = (n.b)[one] - -n.a[one]
n.d = delta(n.b) + delta(n.a)
n.e = n.b > 1040 ? n.b : n.b * 2
n.f = matchinst(!/^a/, n.e) / mkconst(3, units="count", meta=n.a)
n.g = scalar(n.c) + count(t.b)
n.h = rescale(mkconst(5, units="Kbyte"), "byte") + mkconst(1, units="byte")
n.i = n.h / n.h + n.g
:save ` + saved + "\n"
	cmd := harness.Command{Args: []string{"sh", "-c", "exec " + filepath.Join(ours.Bin, "pmderive") + " -a " + archive + " <<'EOF'\n" + items + "EOF\n"}}
	o, err := harness.Side{Bin: "/bin"}.Run(cmd, root)
	if err != nil {
		t.Fatal(err)
	}
	// The help text whose quote is not closed is the only item that fails.
	errs := regexp.MustCompile(`(?m)^expanded n\..(?:, n\..)*\n`).ReplaceAll(o.Stderr, nil)
	if want := "pmderive: line 3: the quote is not closed\n"; string(errs) != want || o.Status != 1 {
		t.Fatalf("status %d\n%s", o.Status, o.Stderr)
	}
	names := strings.Fields("n.a n.b n.c n.d n.e n.f n.g n.h n.i")
	var cs []harness.Command
	for _, n := range names {
		for _, options := range []string{"-df", "-tT"} {
			cs = append(cs, harness.Command{Args: []string{"pminfo", "-a", archive, "-c", saved, options, n}})
		}
		cs = append(cs, harness.Command{Args: []string{"pmval", "-U", archive, "-r", "--derived", saved, n}})
	}
	for _, c := range cs {
		x, err := ours.Run(c, root)
		if err != nil {
			t.Fatal(err)
		}
		y, err := theirs.Run(c, root)
		if err != nil {
			t.Fatal(err)
		}
		if !x.Equal(y) {
			t.Errorf("%s\n%s", c, harness.Diff(x, y))
		}
		if bytes.Contains(y.Stderr, []byte("rror")) || y.Status != 0 {
			t.Errorf("%s: the reference says\n%s", c, y.Stderr)
		}
	}
	// A session shows of a metric what the reference shows of the saved one.
	for _, n := range []string{"n.a", "n.b", "n.e", "n.g", "n.h"} {
		x, err := ours.Run(harness.Command{Args: []string{"pmderive", "-a", archive, "-c", saved, "eval", "-o", "json", n}}, root)
		if err != nil {
			t.Fatal(err)
		}
		y, err := theirs.Run(harness.Command{Args: []string{"pminfo", "-a", archive, "-c", saved, "-f", n}}, root)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := jsonValues(t, x.Stdout), infoValues(y.Stdout); a != b || a == "" {
			t.Errorf("%s: ours %s, theirs %s", n, a, b)
		}
	}
}

// jsonValues returns the values of the sample that pmderive writes behind its header, sorted.
func jsonValues(t *testing.T, out []byte) string {
	t.Helper()
	type value struct{ Value json.Number }
	var header, sample struct {
		Values []struct {
			value
			Instances []value
		}
	}
	for d, lines := json.NewDecoder(bytes.NewReader(out)), []any{&header, &sample}; len(lines) > 0; lines = lines[1:] {
		if err := d.Decode(lines[0]); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	var list []string
	for _, m := range sample.Values {
		if m.Value != "" {
			list = append(list, m.Value.String())
		}
		for _, i := range m.Instances {
			list = append(list, i.Value.String())
		}
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}

// infoValues returns the values that pminfo -f prints, sorted.
func infoValues(out []byte) string {
	var list []string
	for line := range strings.Lines(string(out)) {
		if _, v, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " value "); ok {
			list = append(list, v)
		}
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}
