package repl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/command"
	"pmtools/cmd/internal/item"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/option"
	"pmtools/lib/when"
)

// Flags are the options of a verb at a door. Those that say how an answer is shown change a copy of the session's
// settings, which holds while the verb runs.
type Flags struct {
	*pflag.FlagSet
	Door
	Settings Settings
	Time     *option.Options // what the options of Shared say
	// Share adds options that mean the same in every command.
	Share   func(fs *pflag.FlagSet, names ...string)
	changed bool              // the settings are of the flags
	doubt   *diagnose.Problem // about an option, to be told when the verb runs
	gone    map[string]string // options of earlier versions, with what to do instead
}

// NewFlags returns the options of a verb, none at first, for a door, with the settings that hold without them. Shared
// options are those of a new command line.
func NewFlags(fs *pflag.FlagSet, door Door, set Settings) *Flags {
	fs.SortFlags = false
	p := &option.Parser{}
	return &Flags{FlagSet: fs, Door: door, Settings: set, Time: &p.Options, Share: func(fs *pflag.FlagSet, names ...string) {
		p.Shared(names...)
		for o := range p.All() {
			if fs.Lookup(o.Long) == nil {
				fs.AddFlag(command.Flag(o))
			}
		}
	}}
}

// Shared adds options that mean the same in every command.
func (f *Flags) Shared(names ...string) { f.Share(f.FlagSet, names...) }

// Gone makes options of earlier versions errors that say what to do instead.
func (f *Flags) Gone(advice string, names ...string) {
	if f.gone == nil {
		f.gone = make(map[string]string)
	}
	for _, name := range names {
		f.gone[name] = advice
	}
}

// Explain returns the error of an option that is gone, or else an error of options as it is.
func (f *Flags) Explain(err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if advice, ok := f.gone[unknown.GetSpecifiedName()]; ok {
			return fmt.Errorf("--%s is gone: %s", unknown.GetSpecifiedName(), advice)
		}
	}
	return err
}

// parse reads options and values.
func (f *Flags) parse(options []string) error {
	err := f.Explain(f.FlagSet.Parse(options))
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = bad.Unwrap()
	}
	if err != nil {
		return misuse("%v; :help %s lists the options", err, f.Name())
	}
	return nil
}

// option returns the option that a word is, or nil.
func (f *Flags) option(word string) *pflag.Flag {
	name, _, _ := strings.Cut(word, "=")
	switch {
	case len(name) < 2 || name[0] != '-':
		return nil
	case strings.HasPrefix(name, "--"):
		return f.Lookup(name[2:])
	}
	return f.ShorthandLookup(name[1:2])
}

// A choice is the value of an option that is one of a list.
type choice struct {
	*string
	name   string // for messages
	values []string
}

func (c choice) String() string {
	if c.string == nil {
		return ""
	}
	return *c.string
}
func (c choice) Type() string { return "string" }

func (c choice) Set(value string) error {
	if !slices.Contains(c.values, value) {
		return fmt.Errorf("unknown %s '%s'; there are %s", c.name, value, strings.Join(c.values, ", "))
	}
	*c.string = value
	return nil
}

// annotation is that of an option with the values that it takes.
const annotation = "values"

// ValuesOf returns the values that an option takes, nil if there is no list of them.
func ValuesOf(flag *pflag.Flag) []string { return flag.Annotations[annotation] }

// Choice adds an option that takes one of a list of values. The noun is what messages call them.
func (f *Flags) Choice(p *string, noun, name, short, usage string, values []string) {
	f.VarP(choice{p, noun, values}, name, short, usage+": "+strings.Join(values, ", "))
	f.propose(name, values)
}

// propose makes values be proposed for an option.
func (f *Flags) propose(name string, values []string) {
	f.Lookup(name).Annotations = map[string][]string{annotation: values}
}

// Output adds the option -o for one of the forms of an answer, the first by default, and options that mean the same as
// -o with their names.
func (f *Flags) Output(forms []string, aliases ...string) {
	f.changed = true
	form := &f.Settings.Output
	if !slices.Contains(forms, *form) {
		*form = forms[0]
	}
	f.Choice(form, "output", "output", "o", "`FORM` of output", forms)
	f.exclusive(aliases, func(name string) string { return "the same as -o " + name }, func(name string) { *form = name })
}

// exclusive adds options without values, of which one may be given.
func (f *Flags) exclusive(names []string, usage func(name string) string, set func(name string)) {
	given := ""
	for _, name := range names {
		f.BoolFunc(name, usage(name), func(string) error {
			if given != "" && given != name {
				return fmt.Errorf("--%s and --%s exclude each other", given, name)
			}
			given = name
			set(name)
			return nil
		})
	}
}

// Numbers adds the options about numbers that people read.
func (f *Flags) Numbers() {
	f.changed = true
	n := &f.Settings.Numbers
	f.VarP(precision{n}, "precision", "f", "print `N` digits after the decimal point, or full: all that there are")
	usage := map[string]string{"scale": "choose units in which values are readable also with -f", "no-scale": "show values in the units of their metrics"}
	f.exclusive([]string{"scale", "no-scale"}, func(name string) string { return usage[name] }, func(name string) {
		on := name == "scale"
		n.Scale = &on
	})
	f.BoolVar(&n.Percent, "percent", n.Percent, "multiply ratios by 100")
}

// precision is the value of -f.
type precision struct{ *Numbers }

func (p precision) String() string {
	if p.Numbers == nil {
		return ""
	}
	return p.PrecisionText()
}
func (p precision) Type() string { return "string" }

func (p precision) Set(text string) error {
	n, err := ParsePrecision(text)
	if err != nil {
		return fmt.Errorf("-f requires a number of digits from 0 to %d, or full", MaxPrecision)
	}
	p.Precision = n
	return nil
}

// pace adds the options that say when samples are taken, and returns what reads the interval: of the option, or else
// of the word before the operands, as in ":watch 2sec EXPR".
func (f *Flags) pace() func(args []string) (time.Duration, []string) {
	f.changed = true
	var given time.Duration
	f.FuncP("interval", "t", "the `TIME` between two samples, such as 10sec", func(text string) (err error) {
		if given, err = when.ParseInterval(text); err == nil && given < minInterval {
			return fmt.Errorf("-t requires an interval of %v or more", minInterval)
		}
		if err == nil && when.Millis(text) {
			f.doubt = query.Problemf("-t %s is %v: ms means minutes, and msec milliseconds", text, given)
		}
		return err
	})
	f.IntVarP(&f.Settings.Samples, "samples", "s", f.Settings.Samples, "end after `N` samples")
	return func(args []string) (time.Duration, []string) {
		lead, args := leading(args, item.Interval)
		return cmp.Or(given, lead), args
	}
}

// leading takes a word that stands before the operands.
func leading[T comparable](args []string, cut func(text string) (T, string)) (found T, rest []string) {
	if len(args) > 1 && !strings.Contains(args[0], " ") {
		found, _ = cut(args[0] + " " + args[1])
	}
	var none T
	if found != none {
		args = args[1:]
	}
	return found, args
}
