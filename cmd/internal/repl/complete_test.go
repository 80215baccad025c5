package repl_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/repl"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	_ "pmtools/test/env"
)

func TestComplete(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) {
		o.Files = memory{"one.conf": "", "two.conf": ""}
	})
	run(s, "x.aa = t.b * 2", "x.ab = 1", "t.b")
	for _, tt := range []struct {
		line  string
		start int
		want  string // separated by bars
	}{
		{"", 0, "anon(|avg(|count(|defined(|delta(|event.|instant(|matchinst(|max(|min(|mkconst(|novalue(|rate(|rescale(|scalar(|sum(|t.|x."},
		{"t", 0, "t."},
		{"t.", 0, "t.a|t.b|t.c|t.d|t.s"},
		{"sum(t.", 4, "t.a|t.b|t.c|t.d|t.s"},
		{"x.", 0, "x.aa|x.ab"},
		{"ra", 0, "rate("},
		{"1 + re", 4, "rescale("},
		{"new.metric = x.a", 13, "x.aa|x.ab"},
		{"t.b[", 4, `a/b]|a\]b]|one]|three]|two blank]`},
		{"t.b[two b", 4, "two blank]"},
		{"1 + (t.b * 2)[th", 14, "three]"},
		{"x.aa[o", 5, "one]"},
		{"t.s[", 4, ""},
		{"nosuch[", 7, ""},
		{`rescale(t.b, "K`, 14, "Kbyte"},
		{`rescale(t.b, "Kbyte / m`, 22, "microsec|millisec|min"},
		{`avg("K`, 5, ""},
		{"mkconst(1, ", 11, "indom=|meta=|semantics=|type=|units="},
		{"sum(t.b) by (host", 13, "hostname"},
		{"1 + sum(t.b) by (x, ", 20, "hostname"},
		{"rate(t.b) by (", 14, ""},
		{"sum(t.s) by (", 13, ""},
		{"mkconst(1, ty", 11, "type="},
		{"mkconst(1, type=u", 16, "u32|u64"},
		{"mkconst(1, semantics=", 21, "counter|discrete|instant"},
		{`mkconst(1, units="by`, 18, "byte"},
		{"mkconst(1, units=ho", 17, "hour"},
		{"mkconst(1, meta=t.", 16, "t.a|t.b|t.c|t.d|t.s"},
		{"mkconst(1, indom=", 17, "null"},
		{"novalue(", 8, "indom=|meta=|semantics=|type=|units="},
		{"matchinst(/t.", 11, ""},
		{"matchinst(/t", 11, "three/, |two blank/, "},
		{"1 + matchinst(!/a", 16, `a\/b/, |a\]b/, `},
		{":top 3 t.", 7, "t.a|t.b|t.c|t.d|t.s"},
		{":run t", 5, "two.conf"},
		{"matchinst(!/a/, t.", 16, "t.a|t.b|t.c|t.d|t.s"},
		{"t.b / t.", 6, "t.a|t.b|t.c|t.d|t.s"},
		{":", 0, ":! |:check |:compare |:d |:debug |:deps |:desc |:describe |:drop |:eval |:exit|:explain |:find |:fmt |:functions |:h |:help |:history |:inst |:install |:install! |:labels |:list |:load |:metrics |:next |:plot |:prev |:quit|:record |:report |:reports |:reset|:run |:save |:save! |:set |:show |:source |:step |:summarize |:text |:time |:top |:uninstall |:watch |:when "},
		{":record --sa", 8, "--samples "}, {":record -s 2 f t.b", 15, "t.b"},
		{":la", 0, ":labels "},
		{":time ", 6, "end|start"}, {":ti s", 4, "start"}, {":eval --pre", 6, "--precision "}, {":wa t.", 4, "t.a|t.b|t.c|t.d|t.s"}, {":sou tw", 5, "two.conf"},
		{":eval --where t.", 14, "t.a|t.b|t.c|t.d|t.s"}, {":eval --where 'sum(t.", 19, "t.a|t.b|t.c|t.d|t.s"}, {":top 3 --where=x.", 15, "x.aa|x.ab"},
		{":eval -i o", 9, "one"}, {":watch --instances three,tw", 19, "three,two"},
		{":explain t.", 9, "t.a|t.b|t.c|t.d|t.s"},
		{":watch 2sec t.", 12, "t.a|t.b|t.c|t.d|t.s"},
		{":desc t.", 6, "t.a|t.b|t.c|t.d|t.s"},
		{":drop x", 6, "x.aa|x.ab"},
		{":load ", 6, "one.conf|two.conf"},
		{":save! t", 7, "two.conf"},
		{":source ", 8, "archive |host |local|one.conf|two.conf"},
		{":source archive o", 16, "one.conf"},

		{":compare --b", 9, "--baseline "}, {":compare o", 9, "one.conf"}, {":summarize --top 2 --by m", 24, "max|mean"}, {":summarize --sort p5", 18, "p50"}, {":summarize t.", 11, "t.a|t.b|t.c|t.d|t.s"},
		{":set ", 5, "across |color |delimiter |header |interval |language |long |output |pager |percent |precision |raw |safe-csv |samples |scale |sort |timestamp |top |verbose |vertical |wide "},
		{":set out", 5, "output "},
		{":set output ", 12, "csv|json|openmetrics|table|value"},
		{":step ", 6, "record"},
		{":help un", 6, "uninstall|units"},
		{"help r", 5, "rate|rates|record|report|reports|rescale|reset|round|run"},
		{"he", 0, "help"},
		{":list ", 6, "event.flags|event.missed|x.aa|x.ab"},
	} {
		texts, start := s.Complete(tt.line, len(tt.line))
		if got := strings.Join(texts, "|"); got != tt.want || start != tt.start && tt.want != "" {
			t.Errorf("%q from %d: %s\nwant from %d: %s", tt.line, start, got, tt.start, tt.want)
		}
	}
	if texts, start := s.Complete("sum(t.b)", 4); start != 4 || len(texts) == 0 {
		t.Errorf("in the middle of a line: %q from %d", texts, start)
	}
}

// TestCompleteFiles: a name with blanks is proposed in quotes, which read back as one word.
func TestCompleteFiles(t *testing.T) {
	files := memory{"my file.conf": "x = t.a\n", "mine.conf": "y = t.b\n", "dir a/": ""}
	s := newSession(t, "ta", func(o *repl.Options) { o.Files = files })
	for line, want := range map[string]string{
		":load ": `"dir a/"|"my file.conf"|mine.conf`, ":load mi": "mine.conf", ":load 'my": "'my file.conf'", `:load "dir`: `"dir a/`,
		":save --force m": "mine.conf", ":save -- 'my fi": "'my file.conf'",
	} {
		texts, _ := s.Complete(line, len(line))
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	got := run(s, ":load 'my file.conf'", ":load my file.conf", ":load -- 'my file.conf'", ":save --force 'dir a/b.conf'")
	want := `1 definition from my file.conf
!! "file.conf" is an argument too many: :load FILE
1 definition from my file.conf
1 definition to dir a/b.conf
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A slow source answers once its gate is open.
type slow struct {
	pmapi.Source
	gate chan struct{}
}

func (s slow) Children(ctx context.Context, name string) ([]pcp.Child, error) {
	select {
	case <-s.gate:
		return s.Source.Children(ctx, name)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A late source has no instances at its position.
type late struct{ pmapi.Source }

func (s late) Instances(ctx context.Context, ds []pcp.InDom, at pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	if _, positioned := at.Time(); positioned {
		return make([]pcp.Answer[[]pcp.Instance], len(ds)), nil
	}
	return s.Source.Instances(ctx, ds, at)
}

// TestCompleteLate: where the position has no instances, those of the whole recording are offered.
func TestCompleteLate(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) {
		open := o.Open
		o.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
			src, err := open(ctx, kind, name)
			return late{src}, err
		}
	})
	if texts, start := s.Complete("t.b[t", 5); start != 4 || strings.Join(texts, "|") != "three]|two blank]" {
		t.Errorf("%q from %d", texts, start)
	}
}

// TestCompleteSlowly covers a slow source: nothing waits for it, and its answer is used when it has
// come.
func TestCompleteSlowly(t *testing.T) {
	gate := make(chan struct{})
	s := newSession(t, "ta", func(o *repl.Options) {
		open := o.Open
		o.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
			src, err := open(ctx, kind, name)
			return slow{src, gate}, err
		}
	})
	start := time.Now()
	for range 2 {
		if texts, _ := s.Complete("t.", 2); len(texts) != 0 {
			t.Errorf("a source that has not answered gives %q", texts)
		}
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("completion took %v", d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Run(ctx, "t.s", nil); err == nil {
		t.Error("an item runs while the source is busy")
	}
	close(gate)
	var texts []string
	for range 50 {
		if texts, _ = s.Complete("t.", 2); len(texts) > 0 {
			break
		}
	}
	if !slices.Contains(texts, "t.b") {
		t.Errorf("a source that has answered gives %q", texts)
	}
}

// TestCloseWhileSlow closes a session whose source does not answer.
func TestCloseWhileSlow(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) {
		open := o.Open
		o.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
			src, err := open(ctx, kind, name)
			return slow{src, nil}, err
		}
	})
	s.Complete("t.", 2)
	done := make(chan error)
	go func() { done <- s.Close() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Error("Close hangs")
	}
}

func TestPrompt(t *testing.T) {
	s := newSession(t, "ta")
	if p := s.Prompt(); p != "pmderive> " {
		t.Errorf("before there is a source: %q", p)
	}
	run(s, ":next")
	if p := s.Prompt(); p != "2001-09-09 01:46:41> " {
		t.Errorf("in an archive: %q", p)
	}
}

// TestCompleteFitting: definitions that do not fit the source are not offered.
func TestCompleteFitting(t *testing.T) {
	s := newSession(t, "ta", func(o *repl.Options) { o.Files = memory{"f": "no.fit = no.such + 1\nno.good = t.b + 1\n"} })
	run(s, ":load f")
	if texts, _ := s.Complete("no.", 3); len(texts) != 1 || texts[0] != "no.good" {
		t.Errorf("%q", texts)
	}
}
