package derive_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pmtools/derive"
	"pmtools/derive/debug"
	"pmtools/derive/load"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

var update = flag.Bool("update", false, "rewrite testdata/debug")

// A session does what a file of testdata/debug says, and collects what is printed.
type session struct {
	t       *testing.T
	out     strings.Builder
	printer *debug.Printer
	reg     *derive.Registry // made when it is used first, as in the commands
	base    pmapi.Source
	src     *derive.Source
	dir     string
}

// TestDebug compares the debugging output. Lines that begin with > are actions; the lines below
// them are the output and the messages for the user. The texts are those of the reference but for
// the numbers of nodes.
func TestDebug(t *testing.T) {
	files, err := filepath.Glob("testdata/debug/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s := &session{t: t, dir: t.TempDir(), base: fakeArchive{newFake(qa)}}
			s.printer = debug.New(func(text string) { s.out.WriteString(text) })
			for line := range strings.Lines(string(text)) {
				if do, ok := strings.CutPrefix(line, "> "); ok {
					s.out.WriteString(line)
					verb, rest, _ := strings.Cut(strings.TrimSpace(do), " ")
					s.do(verb, rest)
				}
			}
			got := strings.ReplaceAll(s.out.String(), s.dir, "DIR")
			if runtime.GOOS == "windows" {
				got = strings.ReplaceAll(got, `DIR\`, "DIR/")
				got = strings.ReplaceAll(got, "GetFileAttributesEx DIR/nosuch: Path not found.", "stat DIR/nosuch: no such file or directory")
			}
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(string(text), got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// do performs one action.
func (s *session) do(verb, rest string) {
	ctx := context.Background()
	if s.reg == nil && verb != "flags" && verb != "live" {
		s.reg = derive.NewRegistry(func(line string) { fmt.Fprintln(&s.out, line) })
		s.reg.Observe(s.printer)
	}
	name, expr, _ := strings.Cut(rest, "=")
	var err error
	switch verb {
	case "flags":
		var f debug.Flags
		for name, flag := range map[string]debug.Flags{
			"derive": debug.Derive, "syntax": debug.Syntax, "semantics": debug.Semantics, "eval": debug.Eval, "desperate": debug.Desperate,
		} {
			if strings.Contains(rest, name) {
				f |= flag
			}
		}
		s.printer.Set(f)
	case "live":
		s.base = newFake(qa)
	case "open":
		s.src = derive.NewSource(s.base, s.reg.Set(), nil)
	case "close":
		err = s.src.Close()
	case "define":
		err = s.reg.Register(name, expr)
	case "add":
		err = s.src.Add(ctx, name, expr)
	case "file":
		file := filepath.Join(s.dir, "file")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(rest, "|", "\n")+"\n"), 0o666); err != nil {
			s.t.Fatal(err)
		}
		_, err = load.Config(s.reg, file)
	case "load":
		_, err = load.Config(s.reg, rest)
	case "default":
		load.Default(s.reg, rest)
	case "controls":
		load.Controls(s.reg, rest)
	case "children":
		_, err = s.src.Children(ctx, rest)
	case "walk":
		err = s.src.Walk(ctx, rest, true, func(string, pcp.ID) bool { return true })
	case "lookup":
		_, err = s.src.Lookup(ctx, strings.Fields(rest))
	case "fetch":
		err = s.fetch(ctx, strings.Fields(rest))
	default:
		s.t.Fatal("cannot " + verb)
	}
	if err != nil && verb != "define" && verb != "add" {
		fmt.Fprintln(&s.out, "error:", err)
	}
}

// fetch fetches metrics. The output of looking them up is dropped.
func (s *session) fetch(ctx context.Context, names []string) error {
	var req pmapi.Request
	mark := s.out.Len()
	found, err := s.src.Lookup(ctx, names)
	if err != nil {
		return err
	}
	kept := s.out.String()[:mark]
	s.out.Reset()
	s.out.WriteString(kept)
	for _, f := range found {
		req.IDs = append(req.IDs, f.Value)
	}
	var result pcp.Result
	return s.src.Fetch(ctx, &req, &result)
}

// everything returns a Printer with all flags.
func everything(print func(string)) *debug.Printer {
	p := debug.New(print)
	p.Set(debug.Derive | debug.Syntax | debug.Semantics | debug.Eval | debug.Desperate)
	return p
}

// TestDebugLarge prints expressions that are too large for evaluating each of their nodes
// separately.
func TestDebugLarge(t *testing.T) {
	for name, expr := range map[string]string{
		"sum":    strings.Repeat("sample.bin + ", 2000) + "1",
		"misfit": strings.Repeat("sample.bin + ", 2000) + "sample.colour",
		"meta":   strings.Repeat("mkconst(1,type=32,meta=sample.bin) + ", 1000) + "1",
	} {
		t.Run(name, func(t *testing.T) {
			var size int
			reg := derive.NewRegistry(nil)
			reg.Observe(everything(func(s string) { size += len(s) }))
			src := derive.NewSource(newFake(qa), reg.Set(), nil)
			if err := src.Add(context.Background(), "x.y", expr); (err != nil) != (name == "misfit") {
				t.Error(err)
			}
			fetchOne(t, src, lookup(t, src, "x.y"))
			if size == 0 {
				t.Error("nothing was printed")
			}
		})
	}
}

// TestDebugOff checks that nothing is printed without Derive, and that the controls show which
// flags are set.
func TestDebugOff(t *testing.T) {
	printed := 0
	count := func(string) { printed++ }
	for _, d := range []struct {
		print func(string)
		flags debug.Flags
	}{{nil, 0}, {count, 0}, {count, debug.Syntax | debug.Semantics | debug.Eval | debug.Desperate}, {nil, debug.Derive | debug.Syntax}} {
		reg := derive.NewRegistry(nil)
		p := debug.New(d.print)
		p.Set(d.flags)
		reg.Observe(p)
		if err := reg.Register("x.y", "c + 1"); err != nil {
			t.Fatal(err)
		}
		src := derive.NewSource(newFake(small), reg.Set(), nil)
		fetchOne(t, src, lookup(t, src, "x.y"))
		want := 0
		if d.flags == debug.Derive|debug.Syntax {
			want = 1
		}
		if n, err := reg.Control(derive.DebugSyntax); n != want || err != nil {
			t.Errorf("%v: DEBUG_SYNTAX is %d, %v", d.flags, n, err)
		}
		if n, err := reg.Control(derive.DebugEval); n != 0 || err != nil {
			t.Errorf("%v: DEBUG_EVAL is %d, %v", d.flags, n, err)
		}
	}
	if printed > 0 {
		t.Errorf("printed %d times", printed)
	}
}

// FuzzDebug defines, binds and fetches any expression with all output on.
func FuzzDebug(f *testing.F) {
	for _, s := range []string{
		"sample.bin[bin-100] + 1", "matchinst(!/o/, t.b) * delta(t.c)", "defined(a) ? b : novalue(meta=t.b,type=32)", "t.s ? t.b : t.c",
		"rescale(rate(sample.byte_ctr), \"Kbyte/sec\")", "anon(PM_TYPE_U64)", "mkconst(1.5,meta=t.b,indom=29.2) && !sample.string.hullo", "x.y + no.such",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, expr string, archive bool) {
		if len(expr) > 300 {
			return
		}
		var base pmapi.Source = newFake(qa)
		if archive {
			base = fakeArchive{newFake(qa)}
		}
		reg := derive.NewRegistry(nil)
		reg.Observe(everything(nil))
		silent := derive.NewRegistry(nil)
		src, other := derive.NewSource(base, reg.Set(), nil), derive.NewSource(newFake(qa), silent.Set(), nil)
		if (reg.Register("x.y", expr) == nil) != (silent.Register("x.y", expr) == nil) {
			t.Fatal("debugging makes a difference")
		}
		ctx := context.Background()
		for _, s := range []*derive.Source{src, other} {
			for range 2 {
				if err := s.Walk(ctx, "x", true, func(string, pcp.ID) bool { return true }); err != nil {
					return
				}
				fetchOne(t, s, lookup(t, s, "x.y"))
			}
		}
	})
}
