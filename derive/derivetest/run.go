package derivetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/load"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// Options say how cases are run. The zero Options, and nil, are the default.
type Options struct {
	Run         *regexp.Regexp            // only cases whose names it matches; nil for all
	Definitions string                    // where the files under test are; "" for beside the file of cases
	Keep        string                    // the directory in which the archive is kept; "" for nowhere
	Equivalent  func(a, b pcp.InDom) bool // see derive.Options
	Language    check.Language            // of the expressions of cases
}

// A Result is what came of a case.
type Result struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Recorded bool      `json:"recorded,omitempty"` // nobody has confirmed what is expected
	Failures []Failure `json:"failures,omitempty"`
}

// A Report is what came of a file of cases.
type Report struct {
	File     string   `json:"file"`
	Warnings []string `json:"warnings,omitempty"` // about the lines of the definitions
	Results  []Result `json:"cases"`
	Err      error    `json:"-"` // why the file cannot be used
}

// Failed returns how many cases failed.
func (r *Report) Failed() int {
	n := 0
	for _, c := range r.Results {
		if len(c.Failures) > 0 {
			n++
		}
	}
	return n
}

type runner struct {
	*File
	*recording
	opt  Options
	reg  *derive.Registry
	warn []string
	set  *derive.Set // what it has read

	cases []*Case // those that are run
	found map[*expectation]*outcome
}

// Run runs the cases of a file. It returns an error if the file is invalid, as a *diagnose.Problem, or
// if its definitions or sources cannot be read. Failed cases are in the Report.
func (f *File) Run(ctx context.Context, opt *Options) (*Report, error) {
	r, done, err := f.begin(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer done()
	report := &Report{File: r.Name, Warnings: r.warn, Results: []Result{}}
	for _, c := range r.cases {
		res := Result{Name: c.Name, File: r.Name, Line: c.Line, Recorded: c.Recorded}
		for _, e := range c.checks {
			fail, err := r.judge(ctx, e, r.found[e])
			if err != nil {
				return nil, err
			}
			if fail != nil {
				res.Failures = append(res.Failures, *fail)
			}
		}
		report.Results = append(report.Results, res)
	}
	return report, nil
}

// Exprs returns the expressions of all cases, in their order.
func (f *File) Exprs() (list []string) {
	for _, c := range f.Cases {
		for _, e := range c.checks {
			list = append(list, e.expr)
		}
	}
	return list
}

// begin loads the definitions, writes the archive and evaluates the expressions of the cases; done removes the archive.
func (f *File) begin(ctx context.Context, opt *Options) (r *runner, done func(), err error) {
	r = &runner{File: f, found: make(map[*expectation]*outcome)}
	if opt != nil {
		r.opt = *opt
	}
	if err := f.complete(); err != nil {
		return nil, nil, err
	}
	r.reg = derive.NewRegistry(r.warned)
	r.reg.AllowExtended()
	r.reg.SetLanguage(r.opt.Language)
	for _, c := range f.Cases {
		if r.opt.Run == nil || r.opt.Run.MatchString(c.Name) {
			r.cases = append(r.cases, c)
		}
	}
	dir, err := os.MkdirTemp("", "pmderive")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(dir) }
	if err := r.prepare(ctx, dir); err != nil {
		done()
		return nil, nil, err
	}
	return r, done, nil
}

// warned notes where a file under test has a mistake. It does not quote the line: the author of the cases chooses the file,
// and could name a secret one of the user that runs them.
func (r *runner) warned(line string) {
	place, text, found := strings.Cut(line, "] ")
	if kind, _, _ := strings.Cut(text, ":"); found {
		line = place + "] " + kind + ", which pmderive check shows"
	}
	r.warn = append(r.warn, line)
}

// prepare does the work of begin, with a directory for the archive.
func (r *runner) prepare(ctx context.Context, dir string) (err error) {
	if err := r.load(); err != nil {
		return err
	}
	if r.opt.Keep != "" {
		dir = filepath.Join(r.opt.Keep, strings.TrimSuffix(filepath.Base(r.Name), Suffix))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	if r.recording, err = r.File.recording(ctx, dir); err != nil {
		return err
	}
	return r.evaluate(ctx)
}

func (r *runner) load() error {
	for _, name := range r.Definitions {
		path := r.beside(name)
		if r.opt.Definitions != "" && !filepath.IsAbs(name) {
			path = filepath.Join(r.opt.Definitions, name)
		}
		if _, err := load.Config(r.reg, path); err != nil {
			return fmt.Errorf("%s: definitions %s: %w", r.Name, name, err)
		}
	}
	r.set = r.reg.Set()
	return nil
}

func (r *runner) source(ctx context.Context) (*derive.Source, error) {
	src, err := r.recording.open(ctx)
	if err != nil {
		return nil, err
	}
	return derive.NewSource(src, r.set, &derive.Options{Equivalent: r.opt.Equivalent, Nested: r.Expand, AnyName: true, Warn: func(_, _ string) {}}), nil
}

type outcome struct {
	expr    string
	line    int
	problem *diagnose.Problem // why it is nothing
	desc    pcp.Desc
	values  []sample
}

// A sample is the values of an expression at a time, by instance.
type sample map[string]pcp.Value

// evaluate finds what the expressions of the cases are.
func (r *runner) evaluate(ctx context.Context) error {
	src, err := r.source(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	var ids []pcp.ID
	var good []*outcome
	for _, c := range r.cases {
		for _, e := range c.checks {
			o, err := r.bind(ctx, src, e.expr)
			if err != nil {
				return err
			}
			o.expr, o.line = e.expr, e.line
			r.found[e] = o
			if o.problem == nil {
				ids, good = append(ids, o.desc.ID), append(good, o)
			}
		}
	}
	names := newInstances(src)
	kept := 0
	return r.fetch(ctx, src, ids, func(_ int, res *pcp.Result) error {
		for i, o := range good {
			if kept += max(1, res.Sets[i].Len()); kept > maxValues { // a sample without values takes memory, too
				return mistake(r.Name, o.line, fmt.Sprintf("%s and what is evaluated with it have more than %d values; take fewer samples or expressions", o.expr, maxValues))
			}
			o.values = append(o.values, names.sample(ctx, o.desc.InDom, &res.Sets[i]))
		}
		return nil
	})
}

// maxValues is how many values the expressions of a file may have, all samples and instances together:
// some 500 MB.
const maxValues = 1 << 20

func (r *runner) bind(ctx context.Context, src *derive.Source, expr string) (*outcome, error) {
	id, err := pmapi.LookupName(ctx, src, expr)
	if err != nil {
		p, err := r.set.Compile("", expr)
		if err != nil {
			return &outcome{problem: diagnose.Syntax(expr, err).Extension("--extended evaluates it as it is")}, nil
		}
		id = src.Define(p)[0]
	}
	if id.IsDerived() {
		found, err := src.Check(ctx, id)
		if err != nil {
			return nil, err
		}
		if found[0].Err != nil {
			text := expr
			if def := r.set.Find(expr); def != nil {
				text = def.String()
			}
			return &outcome{problem: diagnose.Check(text, found[0].Err, src.Proposals(ctx))}, nil
		}
	}
	d, err := pmapi.LookupDesc(ctx, src, id)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	d.ID = id
	return &outcome{desc: d}, nil
}

type instances struct {
	src   pmapi.Source
	names map[pcp.InDom]map[int32]string
}

func newInstances(src pmapi.Source) *instances {
	return &instances{src, make(map[pcp.InDom]map[int32]string)}
}

func (n *instances) sample(ctx context.Context, d pcp.InDom, v *pcp.Values) sample {
	out := make(sample, v.Len())
	for i, inst := range v.Insts {
		name := ""
		if d != pcp.NullInDom {
			name = n.name(ctx, d, inst)
		}
		out[name] = cloned(v.Value(i))
	}
	return out
}

// cloned returns a value that does not share its bytes.
func cloned(v pcp.Value) pcp.Value {
	if v.IsSet() && !v.Type().Arithmetic() {
		return pcp.BlobValue(v.Type(), append([]byte(nil), v.Bytes()...))
	}
	return v
}

func (n *instances) name(ctx context.Context, d pcp.InDom, inst int32) string {
	if n.names[d] == nil {
		n.names[d] = make(map[int32]string)
		list, _ := pmapi.InstancesOf(ctx, n.src, d, pmapi.Ever()) // without it they are shown by their numbers
		for _, in := range list {
			n.names[d][in.ID] = in.Name
		}
	}
	name, ok := n.names[d][inst]
	if !ok { // a group that has come later
		var err error
		if name, err = n.src.InstName(ctx, d, inst); err != nil {
			name = fmt.Sprintf("inst %d", inst)
		}
		n.names[d][inst] = name
	}
	return name
}
