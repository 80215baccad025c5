package report

import (
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/when"
)

// A kind is what values an option takes.
type kind int

const (
	ignored kind = iota // it has no effect here
	textual
	boolean
	number // 0 or more
	signed
	conversion
	interval
)

// options are the options of a report by kind.
var options = [...][]string{
	ignored: {
		"source", "output", "speclocal", "derived", "names_change", "delimiter", "timefmt", "daemonize", "header", "instinfo", "csv_unitinfo",
		"timestamp", "delay", "ignore_incompat", "ignore_unknown", "live_filter", "include_labels", "include_texts", "extcsv",
		"extheader", "fixed_header", "dynamic_header", "separate_header", "repeat_header", "version",
	},
	textual: {
		"instances", "predicate", "sort_metric", "colxrow",
		"count_scale", "count_scale_force", "space_scale", "space_scale_force", "time_scale", "time_scale_force",
	},
	boolean:    {"unitinfo", "globals", "overall_rank", "overall_rank_alt", "invert_filter", "omit_flat", "interpol"},
	number:     {"samples", "width", "width_force", "precision", "precision_force"},
	signed:     {"rank", "limit_filter", "limit_filter_force"},
	conversion: {"type", "type_prefer"},
	interval:   {"interval"},
}

// kindOf returns the kind of an option. The other keys of a section are metrics.
func kindOf(option string) (k kind, known bool) {
	for k, names := range options {
		if slices.Contains(names, option) {
			return kind(k), true
		}
	}
	return 0, false
}

func optionNames() []string { return slices.Concat(options[:]...) }

// wrong returns the mistake in a value of a kind, or "".
func (k kind) wrong(value string) string {
	n, err := strconv.Atoi(value)
	switch k {
	case boolean:
		if !slices.Contains([]string{"1", "yes", "true", "on", "0", "no", "false", "off"}, strings.ToLower(value)) {
			return "yes or no is expected"
		}
	case number:
		if err != nil || n < 0 {
			return "a number of 0 or more is expected"
		}
	case signed:
		if err != nil {
			return "a whole number is expected"
		}
	case conversion:
		if value != "raw" && value != "default" {
			return "raw or default is expected"
		}
	case interval:
		if _, err := when.ParseInterval(value); err != nil {
			return "a time such as 10s is expected"
		}
	}
	return ""
}

// Options are the options of a report: its own, then those of [options].
type Options []*section

// Has reports whether an option is set.
func (o Options) Has(name string) bool {
	for _, s := range o {
		for _, x := range s.settings {
			if x.key == name {
				return true
			}
		}
	}
	return false
}

// Get returns the value of an option, or "".
func (o Options) Get(name string) string {
	for _, s := range o {
		for _, x := range s.settings {
			if x.key == name {
				return unquote(x.value)
			}
		}
	}
	return ""
}

// Is reports whether an option is yes, or or if there is none.
func (o Options) Is(name string, or bool) bool {
	switch strings.ToLower(o.Get(name)) {
	case "1", "yes", "true", "on":
		return true
	case "0", "no", "false", "off":
		return false
	}
	return or
}

// Number returns the number that an option is, or or if there is none.
func (o Options) Number(name string, or int) int {
	if n, err := strconv.Atoi(o.Get(name)); err == nil {
		return n
	}
	return or
}

// unquote removes quotes around a value.
func unquote(value string) string {
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}
