package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pmtools/derive"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/internal/textwidth"
	"pmtools/lib/when"
)

// An Expansion is arguments in which expressions stand in the place of :NAME.
type Expansion struct {
	Exprs  []string
	Plain  []string            // the same without conversions of units and to rates
	Left   []*diagnose.Problem // why columns were left out
	args   []string            // as they were
	bounds []*Bound

	divisors map[string]string // of quotients, by the name of the expression
}

// Reports are the reports of files, which are read when they are asked for. A nil *Reports has those that need no file.
type Reports struct {
	Files  []string        // none for the first of the places that exists
	Places func() []string // see [Places]
	begun  sync.Once
	done   chan struct{} // closed when lib and err are there
	lib    *Library
	err    error
}

// Begin begins to read the files, while the caller does something else.
func (r *Reports) Begin() {
	r.begun.Do(func() {
		var places []string
		if len(r.Files) == 0 {
			places = r.Places()
		}
		r.done = make(chan struct{})
		go func() {
			r.lib, r.err = load(r.Files, places)
			close(r.done)
		}()
	})
}

// load reads files, or the first of the places that exists.
func load(files, places []string) (l *Library, err error) {
	if len(files) == 0 {
		return Open(places)
	}
	l = New()
	for _, path := range files {
		err = errors.Join(err, l.Load(path))
	}
	return l, err
}

// Open returns the reports. Reading a file that is a pipe without a writer waits until the context ends.
func (r *Reports) Open(ctx context.Context) (*Library, error) {
	if r == nil {
		return New(), nil
	}
	r.Begin()
	select {
	case <-r.done:
		return r.lib, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Expand is that of the Library, which is opened only if there are names of reports.
func (r *Reports) Expand(ctx context.Context, src *query.Source, defs *derive.Set, args []string) (x Expansion, err error) {
	if !Named(args) {
		return Expansion{Exprs: args, Plain: args, args: args}, nil
	}
	l, err := r.Open(ctx)
	if err != nil {
		return x, err
	}
	return l.Expand(ctx, src, defs, args)
}

// Arguments returns names of reports as arguments; each may have its colon.
func Arguments(names string) (args []string) {
	for _, name := range strings.Fields(names) {
		args = append(args, ":"+strings.TrimPrefix(name, ":"))
	}
	return args
}

// Named reports whether there is a report among arguments.
func Named(args []string) bool { return slices.ContainsFunc(args, IsName) }

// Expand puts the columns of reports that fit the source in the place of their names. A later column
// of a name takes the place of an earlier one. Beside other arguments a report may be without columns.
func (l *Library) Expand(ctx context.Context, src *query.Source, defs *derive.Set, args []string) (x Expansion, err error) {
	x.args = args
	for _, arg := range args {
		if !IsName(arg) {
			x.Exprs, x.Plain = append(x.Exprs, arg), append(x.Plain, arg)
			continue
		}
		r, err := l.Find(arg)
		if err != nil {
			return Expansion{}, err
		}
		b, err := r.Bind(ctx, src, defs)
		if none, ok := errors.AsType[*diagnose.Problem](err); ok && len(args) > 1 {
			x.Left = append(x.Left, none)
			continue
		}
		if err != nil {
			return Expansion{}, err
		}
		if b.Options.Is("overall_rank", false) || b.Options.Is("overall_rank_alt", false) {
			p := query.Problemf("report %s ranks the instances of a whole recording (overall_rank), which reports here do not", b.Name)
			p.Notes = []string{"summarize :" + b.Name + " --top N --by max ranks them; overall_rank = no ranks those of each sample"}
			return Expansion{}, p
		}
		if b.Options.Is("invert_filter", false) {
			p := query.Problemf("report %s filters instances after it has ranked them (invert_filter), which reports here do not", b.Name)
			p.Notes = []string{"invert_filter = no filters first"}
			return Expansion{}, p
		}
		for _, e := range b.Exprs {
			x.Exprs = put(x.Exprs, e)
		}
		for _, e := range b.plain {
			x.Plain = put(x.Plain, e)
		}
		for _, d := range r.faults() {
			x.Left = append(x.Left, query.Problemf("%s", d.String()))
		}
		x.Left = append(x.Left, b.left()...)
		x.Left = append(x.Left, b.doubts()...)
		for name, s := range b.by {
			if s.divisor != "" {
				if x.divisors == nil {
					x.divisors = make(map[string]string)
				}
				x.divisors[name] = s.divisor
			}
		}
		x.bounds = append(x.bounds, b)
	}
	if len(x.Exprs) == 0 && len(x.Left) > 0 {
		return Expansion{}, x.Left[0]
	}
	return x, nil
}

// Queries returns a query for each column, below its name. A comment says why a column has none.
func (x *Expansion) Queries(of func(column string) (string, error)) (string, error) {
	var text strings.Builder
	some := false
	for _, p := range x.Left {
		fmt.Fprintf(&text, "-- %s\n", textwidth.OneLine(p.Msg))
	}
	for _, column := range x.Exprs {
		q, err := of(column)
		if p, wrong := errors.AsType[*diagnose.Problem](err); wrong {
			fmt.Fprintf(&text, "-- %s has no query: %s\n", column, textwidth.OneLine(p.Msg))
			continue
		}
		if err != nil {
			return "", err
		}
		some = true
		fmt.Fprintf(&text, "\n-- %s\n%s;\n", column, strings.TrimRight(q, ";\n"))
	}
	if !some {
		return "", query.Problemf("no column of the report can be expressed in SQL:\n%s", text.String())
	}
	return strings.TrimPrefix(text.String(), "\n"), nil
}

// Heading names the reports and the files that they are from; it is empty if there are none.
func (x *Expansion) Heading() string {
	var names []string
	for _, b := range x.bounds {
		name := ":" + b.Name + " from " + cmp.Or(b.File, ownName)
		if b.File == "" && !b.Options.Is("unitinfo", true) { // the comment has the units
			_, about, _ := strings.Cut(b.About, ": ")
			name += ": " + about
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Metrics returns the metrics that the reports are made of, and the other arguments, each once.
func (x *Expansion) Metrics() []string {
	names := slices.DeleteFunc(slices.Clone(x.args), IsName)
	for _, b := range x.bounds {
		names = append(names, b.metrics...)
	}
	if x.bounds == nil {
		return names
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// put adds an expression to others, in the place of one of the same name.
func put(list []string, expr string) []string {
	i := slices.IndexFunc(list, func(other string) bool { return nameOf(other) == nameOf(expr) })
	if i < 0 {
		return append(list, expr)
	}
	list[i] = expr
	return list
}

func nameOf(expr string) string {
	if name, _, ok := query.CutDefinition(expr); ok {
		return name
	}
	return strings.TrimSpace(expr)
}

// Shape gives the columns of a stream their looks, and leaves out values that the reports do not want.
func (x *Expansion) Shape(ctx context.Context, st *query.Stream) {
	for _, b := range x.bounds {
		b.Shape(ctx, st)
	}
}

// Interval returns the time between samples that a report asks for; ok is false if none does. 0 stands
// for records as they are.
func (x *Expansion) Interval() (d time.Duration, ok bool) {
	for _, b := range x.bounds {
		if !b.Options.Is("interpol", true) {
			return 0, true
		}
		text := b.Options.Get("interval")
		if text != "" {
			d, err := when.ParseInterval(text)
			return d, err == nil
		}
	}
	return 0, false
}

// Samples returns how many samples a report asks for, or 0.
func (x *Expansion) Samples() int {
	for _, b := range x.bounds {
		if n, err := strconv.Atoi(b.Options.Get("samples")); err == nil {
			return n
		}
	}
	return 0
}
