package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/command"
	"pmtools/internal/suggest"
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
	Fleet    *Fleet          // the options about several hosts; nil if there are none
	parser   *option.Parser  // that has the options of Shared
	warn     func(format string, args ...any)
	changed  bool              // the settings are of the flags
	gone     map[string]string // options that there are not here, and why
}

// A Fleet is what options say about several hosts, besides their names.
type Fleet struct {
	File string // the file that lists them
}

// NewFlags returns an empty set of options of a verb, for a door, with their defaults in set. p has the shared
// options. warn is called with doubts about an option.
func NewFlags(fs *pflag.FlagSet, door Door, set Settings, p *option.Parser, warn func(format string, args ...any)) *Flags {
	fs.SortFlags = false
	return &Flags{FlagSet: fs, Door: door, Settings: set, Time: &p.Options, parser: p, warn: warn}
}

// Shared adds options that mean the same in every command.
func (f *Flags) Shared(names ...string) {
	for _, name := range names {
		o := f.parser.SharedOption(name)
		if name == "interval" {
			f.interval(o, slices.Contains(names, "origin"))
		}
		f.AddFlag(command.Flag(o))
	}
}

// interval makes an interval of 0 an error of -t. If records is set, -t takes "record" too, for the
// records of an archive as they are: that is an interval of 0. An interval in "ms" is doubtful.
func (f *Flags) interval(interval *option.Option, records bool) {
	p, instead := f.Time, ""
	if records {
		interval.Text += ", or record: an archive's records as they are"
		instead = "; 'record' is a sample for each record of an archive"
	}
	interval.Set = func(text string) error {
		if records && (text == "record" || text == "records") {
			p.Interval, p.HasInterval = 0, true
			return nil
		}
		d, err := parseInterval(text)
		switch {
		case err != nil:
			return err
		case d == 0:
			return fmt.Errorf("-t %s: an interval is longer than 0%s", text, instead)
		case when.Millis(text):
			f.warn("-t %s is %v: ms means minutes, and msec milliseconds", text, d)
		}
		p.Interval, p.HasInterval = d, true
		return nil
	}
}

// Span adds an option that takes a length of time.
func (f *Flags) Span(p *time.Duration, name, short, usage string) {
	f.FuncP(name, short, usage, func(text string) (err error) {
		if *p, err = parseInterval(text); err == nil && *p < minInterval {
			err = fmt.Errorf("--%s %s: an interval is at least %v", name, text, minInterval)
		}
		return err
	})
}

// Gone makes options of earlier versions errors that say what to do instead.
func (f *Flags) Gone(advice string, names ...string) { f.missing("is gone: "+advice, names...) }

// missing makes options errors that say why there are none.
func (f *Flags) missing(why string, names ...string) {
	if f.gone == nil {
		f.gone = make(map[string]string)
	}
	for _, name := range names {
		f.gone[name] = why
	}
}

// Explain returns an error of options for people: options that are gone or elsewhere, or like those that there are.
func (f *Flags) Explain(err error) error {
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		sign := "--"
		if bare.GetSpecifiedShortnames() != "" {
			sign = "-"
		}
		value, usage := pflag.UnquoteUsage(bare.GetFlag())
		return fmt.Errorf("%s%s wants %s: %s", sign, bare.GetSpecifiedName(), value, usage)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	if name := unknown.GetSpecifiedName(); unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("there is no option -%s", name)
	} else if advice, ok := f.gone[name]; ok {
		return fmt.Errorf("--%s %s", name, advice)
	}
	var known []string
	f.VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
	name := unknown.GetSpecifiedName()
	text := "there is no option --" + name
	if near := suggest.Names(name, known); len(near) > 0 {
		text += "; did you mean --" + strings.Join(near, " or --") + "?"
	}
	return errors.New(text)
}

// parse reads options and values.
func (f *Flags) parse(options []string) error {
	err := f.Explain(f.FlagSet.Parse(options))
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = bad.Unwrap()
	}
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		return misuse("%v; :help %s lists the options", err, f.Name())
	}
	return err
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

// annotation is that of an option with the values that it takes.
const annotation = "values"

// ValuesOf returns the values that an option takes, nil if there is no list of them.
func ValuesOf(flag *pflag.Flag) []string { return flag.Annotations[annotation] }

// Choice adds an option that takes one of a list of values. The noun is what messages call them.
func (f *Flags) Choice(p *string, noun, name, short, usage string, values []string) {
	f.add(chosen(name, short, noun, "", usage, values, func(*Settings) *string { return p }))
}

// Propose makes values be proposed for an option.
func (f *Flags) Propose(name string, values []string) {
	f.Lookup(name).Annotations = map[string][]string{annotation: values}
}

// Output adds the option -o for one of the forms of an answer, the first by default, and options that mean the same as
// -o with their names.
func (f *Flags) Output(forms []string, aliases ...string) {
	form := &f.Settings.Output
	if !slices.Contains(forms, *form) {
		*form = forms[0]
	}
	f.add(chosen("output", "o", "output", "", "`FORM` of output", forms, func(s *Settings) *string { return &s.Output }))
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
	f.keys("precision", "scale")
	f.BoolFunc("no-scale", "show values in the units of their metrics", func(string) error {
		if f.Changed("scale") {
			return errors.New("--scale and --no-scale exclude each other")
		}
		return findSetting("scale").set(&f.Settings, "off")
	})
	f.keys("percent")
}

// keys adds options that are settings.
func (f *Flags) keys(names ...string) {
	for _, name := range names {
		f.add(findSetting(name))
	}
}

// add adds an option of the settings.
func (f *Flags) add(k *setting) {
	f.changed = true
	flag := f.VarPF(keyed{k, f}, k.key, k.short, k.usage)
	if flag.NoOptDefVal = k.alone; k.alone != "" {
		flag.DefValue = ""
	}
	if k.alone != isOn && k.values != nil {
		f.Propose(k.key, k.values)
	}
}

// A keyed is the value of an option of the settings.
type keyed struct {
	*setting
	f *Flags
}

func (k keyed) String() string { return k.get(&k.f.Settings) }

func (k keyed) Type() string {
	if k.alone == isOn {
		return "bool"
	}
	return "string"
}

func (k keyed) Set(text string) error {
	if f := k.f; f.Changed("no-" + k.key) {
		return fmt.Errorf("--no-%s and --%[1]s exclude each other", k.key)
	}
	return k.set(&k.f.Settings, text)
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
