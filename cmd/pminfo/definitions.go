package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/lib/pcp"
)

// definitions are the derived metrics that files define. What the options and the
// environment say about them counts from the first definition on, so an option -D
// behind a -c does not tell of that file.
type definitions struct {
	env     *cli.Env
	options *cli.Options
	reg     *derive.Registry
	told    derive.Debug // what the options asked for last
}

// registry returns the definitions so far.
func (d *definitions) registry() *derive.Registry {
	first := d.reg == nil
	if first {
		d.reg = derive.NewRegistry(func(line string) {
			d.env.Messages.Print(line + "\n")
			d.env.Messages.Flush()
		})
	}
	has := d.options.Debug.Has
	now := derive.Debug{
		Derive: has("derive"), Syntax: has("appl0"), Semantics: has("appl1"), Eval: has("appl2"), Desperate: has("desperate"),
	}
	if first || now.Derive != d.told.Derive || now.Syntax != d.told.Syntax || now.Semantics != d.told.Semantics ||
		now.Eval != d.told.Eval || now.Desperate != d.told.Desperate {
		d.told = now
		now.Print = func(text string) { io.WriteString(d.env.Stderr, text) }
		d.reg.SetDebug(now)
	}
	if first {
		if list, ok := d.env.LookupEnv("PCP_DERIVED_CONTROL"); ok {
			d.reg.SetControls(list)
		}
	}
	return d.reg
}

// load loads a file of derived metrics. What is wrong with it is said, and no
// more.
func (d *definitions) load(path string) {
	if _, err := d.registry().LoadConfig(path); err != nil {
		d.env.Errorf("derived configuration(s) error: %s", reason(err))
	}
}

// loadDefault loads the files that every command does.
func (d *definitions) loadDefault(config *cli.Config) {
	reg := d.registry()
	path := config.DerivedConfig()
	origin := "$PCP_DERIVED_CONFIG"
	if _, set := config.Lookup("PCP_DERIVED_CONFIG"); !set {
		f, err := d.env.Open(path)
		if err != nil {
			return // the usual directory need not be there
		}
		f.Close()
		origin = path
	}
	reg.LoadDefault(path, origin)
}

// traced reports whether derived metrics are told of.
func (d *definitions) traced() bool {
	for _, c := range []derive.Control{derive.DebugSyntax, derive.DebugSemantics, derive.DebugEval} {
		if on, err := d.registry().Control(c); err == nil && on != 0 {
			return true
		}
	}
	return d.options.Debug.Has("derive")
}

// quiet ends the report of -D. The reference never closes its source, and so does
// not report that it does.
func (d *definitions) quiet() { d.reg.SetDebug(derive.Debug{}) }

// maxInDomMap is how much of a map of instance domains is read.
const maxInDomMap = 1 << 20

// equivalence returns what tells which instance domains are equivalent, by the
// file that PCP_INDOM_CONFIG names, or indom.conf. It is read when it is needed.
func equivalence(env *cli.Env) func(a, b pcp.InDom) bool {
	var m *derive.InDomMap
	read := false
	return func(a, b pcp.InDom) bool {
		if !read {
			read = true
			m = readInDomMap(env)
		}
		return m.Equivalent(a, b)
	}
}

// readInDomMap reads the map of instance domains; nil if there is none, or if
// there is a mistake in it, which is said.
func readInDomMap(env *cli.Env) *derive.InDomMap {
	path, set := env.LookupEnv("PCP_INDOM_CONFIG")
	if !set {
		etc, ok := env.Config().Lookup("PCP_ETC_DIR")
		if !ok {
			etc = "/etc"
		}
		path = filepath.Join(etc, "pcp", "indom.conf")
	}
	f, err := env.Open(path)
	if path == "" || err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxInDomMap))
	if err != nil {
		return nil
	}
	m, err := derive.ParseInDomMap(string(text))
	for bad := range inDomErrors(err) {
		notifier(env)(fmt.Sprintf("Error: __pmEquivInDom: [%s:%d] %s", path, bad.Line, bad.Text))
	}
	return m
}

// inDomErrors yields the mistakes that an error joins.
func inDomErrors(err error) iter.Seq[*derive.InDomError] {
	return func(yield func(*derive.InDomError) bool) {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			return
		}
		for _, err := range joined.Unwrap() {
			if bad, ok := errors.AsType[*derive.InDomError](err); ok && !yield(bad) {
				return
			}
		}
	}
}
