package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/cmd/internal/samples"
	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/query"
	"pmtools/lib/format"
)

// outputs are the names of the forms of output, the usual one first.
var outputs = []string{"table", "csv", "json", "openmetrics", "value"}

// DefaultInterval is the time between samples if not set.
const DefaultInterval = query.DefaultInterval

// Settings are what :set changes. The zero Settings are the usual ones.
type Settings struct {
	Pace
	Values
	Numbers
	Layout
	CSV
	NoPager  bool // output that is longer than the screen is not shown by a program
	Language check.Language
}

// Pace says when samples are taken.
type Pace struct {
	Interval time.Duration // between live samples; 0 means one second
	Samples  int           // of :watch, :plot and over time; 0 means no bound, or what fits a chart
}

// Values says which values are shown.
type Values struct {
	Raw    bool   // counters are not converted to rates
	Sort   string // one of Sorts; "" is the first
	Top    int    // how many values of each expression there are; 0 for all
	Across string // how values of several hosts are put together: sum, avg, min, max, count, top N, bottom N; "" leaves them apart
}

// Layout says how values are arranged.
type Layout struct {
	Output    string // one of Outputs; "" is the first
	Header    int    // rows between the headers of a table, negative for one or none
	Timestamp string // how csv and tables write times, as strftime(3) does; "" for the usual form
	Vertical  bool   // table has a line for each cell, or value
	Wide      bool   // table has all columns, whatever the width
	Verbose   bool   // type, semantics and instance domain come before the values
	Color     bool
}

// CSV has the forms of csv.
type CSV struct {
	Long      bool // a line for each value
	Units     bool // units after the names
	Safe      bool // no field that a spreadsheet takes for a formula
	Delimiter byte // between the fields; 0 for a comma
}

// valid returns s with the defaults filled in.
func (s Settings) valid() Settings {
	if s.Interval <= 0 {
		s.Interval = DefaultInterval
	}
	if s.Output == "" {
		s.Output = outputs[0]
	}
	if s.Sort == "" {
		s.Sort = query.Sorts()[0]
	}
	return s
}

// A setting is a key of :set, and most of them are options of verbs, too: of these a setting is what holds without the option.
type setting struct {
	key, short string
	help       string   // of :set
	usage      string   // of the option; "" for a key that is none
	values     []string // to be completed
	alone      string   // the value of the option without one; "" if it needs one
	get        func(*Settings) string
	set        func(*Settings, string) error
}

// settings has the keys.
var settings = []*setting{
	{key: "interval", help: "time between samples of a live source",
		get: func(s *Settings) string { return s.Interval.String() },
		set: func(s *Settings, v string) error {
			d, err := parseInterval(v)
			if err != nil {
				return err
			}
			if d < minInterval {
				return query.Problemf("an interval must be at least %v", minInterval)
			}
			s.Interval = d
			return nil
		}},
	counted("samples", "how many samples :watch and :plot take; 0 for no bound", "", func(s *Settings) *int { return &s.Samples }),
	chosen("output", "o", "output", "form of values", "`FORM` of output", outputs, func(s *Settings) *string { return &s.Output }),
	{key: "precision", short: "f", help: "digits after the decimal point, full, or auto: four significant digits",
		usage: "print `N` digits after the decimal point, or full: all that there are", values: []string{auto, allDigits},
		get: func(s *Settings) string { return s.precision() },
		set: func(s *Settings, v string) error { return s.setPrecision(v) }},
	{key: "scale", help: "on: values are in units in which they are readable; auto: unless there is a precision",
		usage: "choose units in which values are readable also with -f", values: []string{auto, "on", "off"}, alone: isOn,
		get: func(s *Settings) string {
			if s.Scale == nil {
				return auto
			}
			return onOffText(*s.Scale)
		},
		set: func(s *Settings, v string) error {
			if v == auto {
				s.Scale = nil
				return nil
			}
			s.Scale = new(bool)
			return setBool(s.Scale, v)
		}},
	switched("percent", "", "on: ratios are multiplied by 100", "multiply ratios by 100", func(s *Settings) *bool { return &s.Percent }),
	switched("verbose", "", "on: values come below their type, semantics and instance domain",
		"show the type, the semantics and the instance domain of each expression before its values", func(s *Settings) *bool { return &s.Verbose }),
	switched("raw", "r", "on: counters are shown as they are", "output raw counter values (no rate conversion)", func(s *Settings) *bool { return &s.Raw }),
	{key: "pager", help: "on: output that is longer than the screen is shown by $PAGER, or less", values: onOff,
		get: func(s *Settings) string { return onOffText(!s.NoPager) },
		set: func(s *Settings, v string) error {
			on := !s.NoPager
			err := setBool(&on, v)
			s.NoPager = !on
			return err
		}},
	counted("top", "how many values of each expression there are, the largest; 0 for all", "show only the `N` largest values of each expression",
		func(s *Settings) *int { return &s.Top }),
	chosen("sort", "", "order", "order of values, by value the largest first", "`ORDER` of values, by value the largest first", query.Sorts(), func(s *Settings) *string { return &s.Sort }),
	{key: "across", help: "how values of several hosts are combined: off, " + query.AcrossForms,
		usage:  "combine the values of hosts by `FUNC`: " + query.AcrossForms,
		values: []string{"off", "sum", "avg", "min", "max", "count", "top", "bottom"},
		get:    func(s *Settings) string { return cmp.Or(s.Across, "off") },
		set: func(s *Settings, v string) error {
			if v == "off" {
				v = ""
			}
			if err := query.CheckAcross(v); err != nil {
				return err
			}
			s.Across = v
			return nil
		}},
	switched("wide", "", "on: tables have all columns; csv has one for each instance",
		"show all columns of a table, whatever the width of the terminal; in csv a column for each instance", func(s *Settings) *bool { return &s.Wide }),
	switched("vertical", "", "on: tables have a line for each cell", "show a table with a line for each value", func(s *Settings) *bool { return &s.Vertical }),
	switched("long", "", "on: csv has a line for each value", "write csv with a line for each value", func(s *Settings) *bool { return &s.Long }),
	{key: "header", help: "when a table repeats its header: auto, none, once, or after a number of rows",
		usage: "`WHEN` the header is written: none, once, or again after this number of rows", values: []string{auto, "none", "once"},
		get: func(s *Settings) string {
			for word, n := range headers {
				if n == s.Header {
					return word
				}
			}
			return strconv.Itoa(s.Header)
		},
		set: func(s *Settings, v string) error {
			n, known := headers[v]
			if !known {
				var err error
				if n, err = strconv.Atoi(v); err != nil || n < 1 {
					return query.Problemf("--header=%s: use none, once or a number of rows", v)
				}
			}
			s.Header = n
			return nil
		}},
	{key: "timestamp", help: "how tables and csv write times: auto, or a form of strftime(3)",
		usage: "write times in tables and csv in the `FORMAT` of strftime(3)", values: []string{auto},
		get: func(s *Settings) string { return cmp.Or(s.Timestamp, auto) },
		set: func(s *Settings, v string) error {
			if v == auto {
				v = ""
			}
			s.Timestamp = v
			_, err := format.AppendStrftime(nil, v, time.Time{})
			return err
		}},
	{key: "delimiter", help: "the character between the fields of csv", usage: "`CHARACTER` between the fields of csv",
		get: func(s *Settings) string { return string(cmp.Or(s.Delimiter, ',')) },
		set: func(s *Settings, v string) error {
			v = strings.ReplaceAll(v, `\t`, "\t")
			if len(v) != 1 || strings.Contains("\"\r\n", v) {
				return query.Problemf("--delimiter=%s is not one character between fields", v)
			}
			s.Delimiter = v[0]
			return nil
		}},
	switched("safe-csv", "", "on: csv has no fields that spreadsheets take for formulas", "write csv without fields that spreadsheets take for formulas",
		func(s *Settings) *bool { return &s.Safe }),
	{key: "language", help: "pcp, or extended: functions of expressions, and more functions", values: []string{"pcp", "extended"},
		get: func(s *Settings) string { return s.Language.String() },
		set: func(s *Settings, v string) (err error) {
			s.Language, err = parseLanguage(v)
			return err
		}},
	switched("color", "", "on: colours on a terminal", "", func(s *Settings) *bool { return &s.Color }),
}

// headers has the words for values of Layout.Header.
var headers = map[string]int{auto: 0, "none": samples.NoHeader, "once": samples.HeaderOnce}

// auto is the value of settings that leave a choice to what there is.
const auto = "auto"

// chosen returns a setting that is one of a list of values, each of them a noun.
func chosen(key, short, noun, help, usage string, values []string, of func(*Settings) *string) *setting {
	list := strings.Join(values, ", ")
	return &setting{key: key, short: short, help: help + ": " + list, usage: usage + ": " + list, values: values,
		get: func(s *Settings) string { return *of(s) },
		set: func(s *Settings, v string) error {
			if !slices.Contains(values, v) {
				if noun == "output" && strings.Contains(v, ".") {
					list += "; --output-file " + v + " and > " + v + " write a file"
				}
				return query.Problemf("unknown %s '%s'; there are %s", noun, v, list)
			}
			*of(s) = v
			return nil
		}}
}

// counted returns a setting that is a number, 0 for no bound.
func counted(key, help, usage string, of func(*Settings) *int) *setting {
	return &setting{key: key, help: help, usage: usage,
		get: func(s *Settings) string { return strconv.Itoa(*of(s)) },
		set: func(s *Settings, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return query.Problemf("%s is a number of values, 0 or more, not '%s'", key, v)
			}
			*of(s) = n
			return nil
		}}
}

// switched returns a setting that is on or off.
func switched(key, short, help, usage string, of func(*Settings) *bool) *setting {
	return &setting{key: key, short: short, help: help, usage: usage, values: onOff, alone: isOn,
		get: func(s *Settings) string { return onOffText(*of(s)) },
		set: func(s *Settings, v string) error { return setBool(of(s), v) }}
}

var onOff = []string{"on", "off"}

// isOn is the value of an option that is on, or off, without one.
const isOn = "true"

const minInterval = time.Millisecond

func onOffText(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// setBool reads a value of :set, or of an option.
func setBool(p *bool, v string) error {
	on, err := strconv.ParseBool(v)
	switch {
	case v == "on" || v == "off":
		*p = v == "on"
	case err != nil:
		return query.Problemf("'%s' is neither on nor off", v)
	default:
		*p = on
	}
	return nil
}

// Color reports whether colours are wanted.
func (s *Session) Color() bool {
	<-s.lock
	defer s.release()
	return s.set.Color
}

// Paged reports whether output is to be shown page by page if it is long.
func (s *Session) Paged() bool {
	<-s.lock
	defer s.release()
	return !s.set.NoPager
}

func newSet() *Verb {
	return &Verb{
		Name: "set", Usage: "[KEY [VALUE]]", Short: "Show or change settings",
		Operands: Text, Most: 1, Complete: ofSettings, New: plain(runSet),
	}
}

func runSet(ctx context.Context, s *Session, args []string, w io.Writer) error {
	key, value, given := strings.Cut(strings.Replace(strings.Join(args, ""), "=", " ", 1), " ")
	value = strings.TrimSpace(value)
	if key == "" {
		var rows [][]string
		for _, k := range settings {
			rows = append(rows, []string{k.key, k.get(&s.set), k.help})
		}
		return s.table(ctx, w, &Table{Rows: rows, Wrap: true})
	}
	k := findSetting(key)
	if k == nil {
		return noSetting(key)
	}
	if !given || value == "" {
		fmt.Fprintln(w, k.get(&s.set))
		return nil
	}
	next := s.set
	if err := k.set(&next, value); err != nil {
		return err
	}
	s.set, s.defs = next, s.defs.In(next.Language)
	return nil
}

func findSetting(key string) *setting {
	if i := slices.IndexFunc(settings, func(k *setting) bool { return k.key == key }); i >= 0 {
		return settings[i]
	}
	return nil
}

func noSetting(key string) *diagnose.Problem {
	var keys []string
	for _, k := range settings {
		keys = append(keys, k.key)
	}
	return &diagnose.Problem{Msg: "there is no setting " + key, Notes: diagnose.DidYouMean(key, keys)}
}

// parseLanguage returns the language of a name. The error is a *diagnose.Problem.
func parseLanguage(name string) (check.Language, error) {
	for _, l := range []check.Language{check.PCP, check.Extended} {
		if l.String() == name {
			return l, nil
		}
	}
	return check.PCP, query.Problemf("there is no language '%s'; there are %s and %s", name, check.PCP, check.Extended)
}
