package source

import (
	"io"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/derive/debug"
	"pmtools/derive/load"
	"pmtools/lib/option"
)

// Definitions are the derived metrics that files define. The debug options take effect at the next
// definition: an option -D after an option that loads a file prints nothing about that file.
type Definitions struct {
	env     *cli.Env
	options *option.Options
	reg     *derive.Registry
	printer *debug.Printer
	flags   debug.Flags // what the options asked for last
}

// Registry returns the definitions so far.
func (d *Definitions) Registry() *derive.Registry {
	first := d.reg == nil
	if first {
		d.reg = derive.NewRegistry(func(line string) {
			d.env.Messages.Print(line + "\n")
			d.env.Messages.Flush()
		})
		d.printer = debug.New(func(text string) { io.WriteString(d.env.Stderr, text) })
	}
	if f := debug.FlagsOf(d.options.Debug.Has); f != d.flags {
		d.flags = f
		d.printer.Set(f)
	}
	if first {
		d.reg.Observe(d.printer)
		if list, ok := d.env.LookupEnv("PCP_DERIVED_CONTROL"); ok {
			load.Controls(d.reg, list)
		}
	}
	return d.reg
}

// Load loads files of derived metrics.
func (d *Definitions) Load(path string) error {
	_, err := load.Config(d.Registry(), path)
	return err
}

// LoadDefault loads the files that every command loads.
func (d *Definitions) LoadDefault() {
	config := d.env.Config()
	path := config.Derived()
	origin := "$PCP_DERIVED_CONFIG"
	if _, set := config.Lookup("PCP_DERIVED_CONFIG"); !set {
		f, err := d.env.Open(path)
		if err != nil {
			return // the default directory is optional
		}
		f.Close()
		origin = path
	}
	reg := d.Registry()
	d.printer.Origin = origin
	load.Default(reg, path)
}
