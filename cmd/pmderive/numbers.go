package main

import (
	"errors"

	"github.com/spf13/pflag"

	"pmtools/derive/repl"
)

// numberFlags are the options about numbers that people read.
type numberFlags struct {
	precision               string
	scale, noScale, percent bool
}

// add adds the options.
func (f *numberFlags) add(fs *pflag.FlagSet) {
	fs.StringVarP(&f.precision, "precision", "f", "auto", "print `N` digits after the decimal point, or full: all that there are")
	fs.BoolVar(&f.scale, "scale", false, "choose units in which values are readable also with -f")
	fs.BoolVar(&f.noScale, "no-scale", false, "show values in the units of their metrics")
	fs.BoolVar(&f.percent, "percent", false, "multiply ratios by 100")
}

// read returns what the options say.
func (f *numberFlags) read(n *repl.Numbers) (err error) {
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
