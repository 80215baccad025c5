// Package form has the options about the form of what pmderive writes.
package form

import (
	"errors"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/repl"
)

// Numbers are the options about numbers that people read.
type Numbers struct {
	precision               string
	scale, noScale, percent bool
}

// Add adds the options.
func (f *Numbers) Add(fs *pflag.FlagSet) {
	fs.StringVarP(&f.precision, "precision", "f", "auto", "print `N` digits after the decimal point, or full: all that there are")
	fs.BoolVar(&f.scale, "scale", false, "choose units in which values are readable also with -f")
	fs.BoolVar(&f.noScale, "no-scale", false, "show values in the units of their metrics")
	fs.BoolVar(&f.percent, "percent", false, "multiply ratios by 100")
}

// Read returns what the options say.
func (f *Numbers) Read(n *repl.Numbers) (err error) {
	if n.Precision, err = repl.ParsePrecision(f.precision); err != nil {
		return errors.New("-f requires a number of digits from 0 to 40, or full")
	}
	if f.scale && f.noScale {
		return errors.New("--scale and --no-scale exclude each other")
	}
	if f.scale || f.noScale {
		n.Scale = &f.scale
	}
	n.Percent = f.percent
	return nil
}
