package derivetest

import (
	"path/filepath"

	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/load"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/safefile"
)

// A Definition is a definition under test with its place.
type Definition struct {
	*derive.Program
	*syntax.Places        // of the bytes of the line after its =
	File           string // in which it stands
	Offset         int    // of the expression in the line after its =
	Extended       bool   // it is in the extended language
	Quoted         bool   // the file may be quoted: it is beside the cases or below their directory
}

// definitions returns the definitions under test, in the order in which they were loaded.
func (r *runner) definitions() (list []Definition, err error) {
	programs := make(map[string]*derive.Program)
	for p := range r.reg.Programs() {
		programs[p.Name()] = p
	}
	for _, file := range r.files {
		text, err := safefile.Read(file, load.MaxFile)
		if err != nil {
			return nil, err
		}
		quoted := r.quotable(file)
		for c := range syntax.Chunks(file, text) {
			d := c.Definition()
			if d == nil || programs[d.Name] == nil || programs[d.Name].String() != d.Expr() {
				continue
			}
			list = append(list, Definition{programs[d.Name], c.Places(), filepath.Clean(file), d.Offset, d.Extended, quoted})
			delete(programs, d.Name) // later ones of the name do not count
		}
	}
	return list, nil
}

// quotable reports whether a file is in the directory of the cases or of the definitions, or below.
func (r *runner) quotable(file string) bool {
	return within(filepath.Dir(r.Name), file) || r.opt.Definitions != "" && within(r.opt.Definitions, file)
}

// watched is Options.Probe for the samples whose values are expected.
func (r *runner) watched(p *derive.Program, tree syntax.Expr, info *check.Info) eval.Probe {
	name := p.Name()
	if name == "" {
		name = p.String()
	}
	probe, spans := r.opt.Probe(p, tree, info), r.spans[name]
	if probe == nil || len(spans) == 0 {
		return nil
	}
	return func(part syntax.Expr, v *pcp.Values) {
		for _, s := range spans {
			if s.from <= r.now && r.now < s.to {
				probe(part, v)
				return
			}
		}
	}
}

// samples is a range of samples.
type samples struct{ from, to int }

// watch prepares watched for the values that cases expect.
func (r *runner) watch(list []*Case) error {
	r.spans = make(map[string][]samples)
	for _, c := range list {
		for _, e := range c.checks {
			if len(e.rows) == 0 {
				continue
			}
			from, to, err := r.samplesOf(e, r.recording.samples())
			if err != nil {
				return err
			}
			r.spans[e.expr] = append(r.spans[e.expr], samples{from, to})
		}
	}
	return nil
}
