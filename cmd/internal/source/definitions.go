package source

import (
	"io"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/lib/option"
)

// Definitions are the derived metrics that files define. What the options and the
// environment say about them counts from the first definition on, so an option -D
// behind an option that loads a file does not tell of that file.
type Definitions struct {
	env     *cli.Env
	options *option.Options
	reg     *derive.Registry
	told    derive.Debug // what the options asked for last
}

// Registry returns the definitions so far.
func (d *Definitions) Registry() *derive.Registry {
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

// Load loads files of derived metrics.
func (d *Definitions) Load(path string) error {
	_, err := d.Registry().LoadConfig(path)
	return err
}

// LoadDefault loads the files that every command does.
func (d *Definitions) LoadDefault() {
	config := d.env.Config()
	path := config.Derived()
	origin := "$PCP_DERIVED_CONFIG"
	if _, set := config.Lookup("PCP_DERIVED_CONFIG"); !set {
		f, err := d.env.Open(path)
		if err != nil {
			return // the usual directory need not be there
		}
		f.Close()
		origin = path
	}
	d.Registry().LoadDefault(path, origin)
}

// Traced reports whether derived metrics are told of.
func (d *Definitions) Traced() bool {
	for _, c := range []derive.Control{derive.DebugSyntax, derive.DebugSemantics, derive.DebugEval} {
		if on, err := d.Registry().Control(c); err == nil && on != 0 {
			return true
		}
	}
	return d.options.Debug.Has("derive")
}
