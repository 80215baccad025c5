package source

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"pmtools/cmd/internal/cli"
	"pmtools/derive"
	"pmtools/derive/check"
	"pmtools/derive/debug"
	"pmtools/derive/load"
	"pmtools/lib/option"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Definitions are the derived metrics that files define. The debug options take effect at the next
// definition: an option -D after an option that loads a file prints nothing about that file.
type Definitions struct {
	Loaded   []string // the paths of Load
	NoStock  bool     // LoadDefault loads nothing
	Marks    bool     // files may say that they are in the extended language
	Streams  bool     // Load reads pipes and devices
	Extended bool     // expressions are in the extended language

	env     *cli.Env
	options *option.Options
	reg     *derive.Registry
	printer *debug.Printer
	flags   debug.Flags // what the options asked for last

	loaded bool // LoadDefault has been called
}

// Set returns the definitions so far.
func (d *Definitions) Set() *derive.Set { return d.Registry().Set() }

// Registry returns what reads the definitions.
func (d *Definitions) Registry() *derive.Registry {
	first := d.reg == nil
	if first {
		d.reg = derive.NewRegistry(func(line string) {
			d.env.Messages.Print(line + "\n")
			d.env.Messages.Flush()
		})
		if d.Marks {
			d.reg.AllowExtended()
		}
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
	d.Loaded = append(d.Loaded, path)
	read := load.Config
	if d.Streams {
		read = load.Named
	}
	_, err := read(d.Registry(), path)
	return err
}

// LoadDefault loads the files that every command loads, once.
func (d *Definitions) LoadDefault() {
	if d.loaded {
		return
	}
	if d.loaded = true; d.NoStock {
		return
	}
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

// Stock reports whether LoadDefault has defined a metric.
func (d *Definitions) Stock(name string) bool {
	def := d.Set().Find(name)
	return def != nil && def.Layer == derive.StockLayer
}

// StockHint returns an error with the option that loads a definition, if it is about one of names that
// LoadDefault defines.
func (d *Definitions) StockHint(err error, names []string) error {
	d.LoadDefault()
	for _, name := range names {
		if d.Stock(name) && errors.Is(err, pmerr.Name) {
			return fmt.Errorf("%w; %s is defined by the installation: --stock", err, name)
		}
	}
	if len(names) == 1 && errors.Is(err, pmerr.Name) && !strings.Contains(names[0], ".") {
		return fmt.Errorf("%w; -o %s names the directory of the tables", err, names[0])
	}
	return err
}

// maxInDomMap is how much of a map of instance domains is read.
const maxInDomMap = 1 << 20

// Equivalence returns a function that reports whether two instance domains are equivalent, by the
// file that PCP_INDOM_CONFIG names, or indom.conf. The file is read when it is needed.
func (o *Opener) Equivalence() func(a, b pcp.InDom) bool {
	read := sync.OnceValue(func() *check.InDomMap { return readInDomMap(o.env) })
	return func(a, b pcp.InDom) bool { return read().Equivalent(a, b) }
}

// readInDomMap reads the map of instance domains. It returns nil if there is none, or if there is a
// mistake in it, which is reported.
func readInDomMap(env *cli.Env) *check.InDomMap {
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
	m, err := check.ParseInDomMap(string(text))
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			if bad, ok := errors.AsType[*check.InDomError](err); ok {
				env.Notify(fmt.Sprintf("Error: __pmEquivInDom: [%s:%d] %s", path, bad.Line, bad.Text))
			}
		}
	}
	return m
}
