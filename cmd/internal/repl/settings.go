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

	"pmtools/cmd/internal/item"
	"pmtools/derive/check"
	"pmtools/derive/query"

	"pmtools/derive/diagnose"
	"pmtools/lib/when"
)

var outputs = []string{"table", "csv", "json", "openmetrics"}

// Outputs returns the names of the forms of output, the usual one first.
func Outputs() []string { return slices.Clone(outputs) }

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
	Timing   bool // how long each item takes is shown
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

// A setting is a key of :set.
type setting struct {
	key    string
	help   string
	values []string // to be completed
	get    func(*Settings) string
	set    func(*Settings, string) error
}

// settings has the keys.
var settings = []setting{
	{"interval", "time between samples of a live source", nil,
		func(s *Settings) string { return s.Interval.String() },
		func(s *Settings, v string) error {
			d, err := when.ParseInterval(v)
			if err != nil {
				return diagnose.From(err)
			}
			if d < minInterval {
				return query.Problemf("an interval must be at least %v", minInterval)
			}
			s.Interval = d
			return nil
		}},
	{"samples", "how many samples :watch and :plot take; 0 for no bound", nil,
		func(s *Settings) string { return strconv.Itoa(s.Samples) },
		func(s *Settings, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return query.Problemf("'%s' is not a number of samples", v)
			}
			s.Samples = n
			return nil
		}},
	{"output", "form of values: " + strings.Join(outputs, ", "), outputs,
		func(s *Settings) string { return s.Output },
		func(s *Settings, v string) error {
			if !slices.Contains(outputs, v) {
				return query.Problemf("there is no output '%s'; there are %s", v, strings.Join(outputs, ", "))
			}
			s.Output = v
			return nil
		}},
	{"precision", "digits after the decimal point, full, or auto: four significant digits", []string{"auto", FullDigits},
		func(s *Settings) string { return s.PrecisionText() },
		func(s *Settings, v string) error {
			n, err := ParsePrecision(v)
			if err != nil {
				return query.Problemf("'%s' is neither auto nor full nor a number of digits from 0 to %d", v, MaxPrecision)
			}
			s.Precision = n
			return nil
		}},
	{"scale", "on: values are in units in which they are readable; auto: unless there is a precision", []string{"auto", "on", "off"},
		func(s *Settings) string {
			if s.Scale == nil {
				return "auto"
			}
			return onOffText(*s.Scale)
		},
		func(s *Settings, v string) error {
			if v == "auto" {
				s.Scale = nil
				return nil
			}
			var on bool
			err := setBool(&on, v)
			if err == nil {
				s.Scale = &on
			}
			return err
		}},
	{"percent", "on: ratios are multiplied by 100", onOff,
		func(s *Settings) string { return onOffText(s.Percent) },
		func(s *Settings, v string) error { return setBool(&s.Percent, v) }},
	{"verbose", "on: values come below their type, semantics and instance domain", onOff,
		func(s *Settings) string { return onOffText(s.Verbose) },
		func(s *Settings, v string) error { return setBool(&s.Verbose, v) }},
	{"raw", "on: counters are shown as they are", onOff,
		func(s *Settings) string { return onOffText(s.Raw) },
		func(s *Settings, v string) error { return setBool(&s.Raw, v) }},
	{"pager", "on: output that is longer than the screen is shown by $PAGER, or less", onOff,
		func(s *Settings) string { return onOffText(!s.NoPager) },
		func(s *Settings, v string) error {
			on := !s.NoPager
			err := setBool(&on, v)
			s.NoPager = !on
			return err
		}},
	{"sort", "order of values: " + strings.Join(query.Sorts(), ", ") + " (the largest first)", query.Sorts(),
		func(s *Settings) string { return s.Sort },
		func(s *Settings, v string) error {
			if !slices.Contains(query.Sorts(), v) {
				return query.Problemf("there is no order '%s'; there are %s", v, strings.Join(query.Sorts(), ", "))
			}
			s.Sort = v
			return nil
		}},
	{"across", "how values of several hosts are combined: off, " + query.AcrossForms, []string{"off", "sum", "avg", "min", "max", "count", "top", "bottom"},
		func(s *Settings) string { return cmp.Or(s.Across, "off") },
		func(s *Settings, v string) error {
			if v == "off" {
				v = ""
			}
			if err := query.CheckAcross(v); err != nil {
				return err
			}
			s.Across = v
			return nil
		}},
	{"timing", "on: the time that each item takes is shown", onOff,
		func(s *Settings) string { return onOffText(s.Timing) },
		func(s *Settings, v string) error { return setBool(&s.Timing, v) }},
	{"vertical", "on: tables have a line for each cell", onOff,
		func(s *Settings) string { return onOffText(s.Vertical) },
		func(s *Settings, v string) error { return setBool(&s.Vertical, v) }},
	{"language", "pcp, or extended: functions of expressions, and more functions", []string{"pcp", "extended"},
		func(s *Settings) string { return s.Language.String() },
		func(s *Settings, v string) (err error) {
			s.Language, err = query.ParseLanguage(v)
			return err
		}},
	{"color", "on: colours on a terminal", onOff,
		func(s *Settings) string { return onOffText(s.Color) },
		func(s *Settings, v string) error { return setBool(&s.Color, v) }},
}

var onOff = []string{"on", "off"}

const minInterval = time.Millisecond

func onOffText(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func setBool(p *bool, v string) error {
	switch v {
	case "on":
		*p = true
	case "off":
		*p = false
	default:
		return query.Problemf("'%s' is neither on nor off", v)
	}
	return nil
}

// Color reports whether colours are wanted.
func (s *Session) Color() bool {
	<-s.lock
	defer s.release()
	return s.set.Color
}

// Paged reports whether the output of an item is to be shown page by page if it is long: not what
// comes as time goes by.
func (s *Session) Paged(text string) bool {
	<-s.lock
	defer s.release()
	it := item.Parse(text)
	v, _ := findVerb(it.Name, Verbs())
	drawn := it.Kind == item.Command && v != nil && slices.Contains([]string{"watch", "plot", "top"}, v.Name)
	return !s.set.NoPager && !(drawn && (v.Name == "watch" || s.live()))
}

func runSet(ctx context.Context, s *Session, arg string, w io.Writer) error {
	key, value, given := strings.Cut(arg, " ")
	value = strings.TrimSpace(value)
	if key == "" {
		var rows [][]string
		for _, k := range settings {
			rows = append(rows, []string{k.key, k.get(&s.set), k.help})
		}
		return s.table(ctx, w, &Table{Rows: rows, Wrap: true})
	}
	if key == "save" && value == "" {
		return s.saveSettings(w)
	}
	k := findSetting(key)
	if k == nil {
		return noSetting(key)
	}
	if !given || value == "" {
		fmt.Fprintln(w, k.get(&s.set))
		return nil
	}
	err := k.set(&s.set, value)
	s.defs = s.defs.In(s.set.Language)
	return err
}

func findSetting(key string) *setting {
	if i := slices.IndexFunc(settings, func(k setting) bool { return k.key == key }); i >= 0 {
		return &settings[i]
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
