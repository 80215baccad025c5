// Package mmv compares the memory-mapped value files that lib/mmv writes with those of the
// reference's library, and reads them with the reference's programs.
package mmv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
)

// A draw makes a random registry twice: with lib/mmv, and as a script for the reference's library.
type draw struct {
	*rand.Rand
	reg     *mmv.Registry
	version int
	script  []string
	after   []string // values, which are set when the file is there
	domains []domain
	names   map[string]bool
	numbers map[int]bool
}

// A domain is an instance domain.
type domain struct {
	*mmv.Domain
	serial int
	names  []string
}

// line returns a line of the script.
func line(words ...any) string {
	text := make([]string, len(words))
	for i, w := range words {
		if text[i] = fmt.Sprint(w); w == "" {
			text[i] = "@"
		}
	}
	return strings.Join(text, "\t")
}

// say adds a line to the script.
func (d *draw) say(words ...any) { d.script = append(d.script, line(words...)) }

// word returns letters and digits, from least to most of them, that were not drawn before.
func (d *draw) word(least, most int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
	for {
		b := []byte{letters[d.IntN(52)]}
		for n := least + d.IntN(most-least+1); len(b) < n; {
			b = append(b, letters[d.IntN(len(letters))])
		}
		if s := string(b); !d.names[s] {
			d.names[s] = true
			return s
		}
	}
}

// name returns the name of a metric or an instance: from version 2 on it may be long.
func (d *draw) name() string {
	if d.version > 1 && d.IntN(4) == 0 {
		return d.word(60, 255)
	}
	return d.word(2, 63)
}

// text returns a help text, or none.
func (d *draw) text() string {
	switch d.IntN(4) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("long text ", 26)[:200+d.IntN(56)]
	}
	return "the " + d.word(3, 30) + " ü"
}

// number returns a number that was not drawn before.
func (d *draw) number(most int) int {
	for {
		if n := 1 + d.IntN(most); !d.numbers[n] {
			d.numbers[n] = true
			return n
		}
	}
}

// label returns the option for a label and the words of the script for it, or none.
func (d *draw) label() ([]mmv.Option, []any) {
	if d.version < 3 || d.IntN(3) > 0 {
		return nil, nil
	}
	kinds := []struct {
		value any
		text  string
		kind  int
	}{
		{"some text", `"some text"`, 1}, {strings.Repeat("y", 150), `"` + strings.Repeat("y", 150) + `"`, 1}, {42, "42", 2}, {-1.5, "-1.5", 2},
		{true, "true", 3}, {nil, "null", 4}, {[]int{1, 2}, "[1,2]", 5}, {map[string]any{"a": 1, "b": "c"}, `{"a":1,"b":"c"}`, 6},
	}
	k, name, optional := kinds[d.IntN(len(kinds))], d.word(1, 60), d.IntN(2)
	o := mmv.Labeled(name, k.value)
	if optional == 1 {
		o = mmv.Optional(name, k.value)
	}
	return []mmv.Option{o}, []any{name, k.text, k.kind, optional}
}

// drawDomains registers instance domains.
func (d *draw) drawDomains() {
	for range d.IntN(4) {
		serial, oneLine, help := d.number(2047), d.text(), d.text()
		option, words := d.label()
		dom := domain{d.reg.Domain(append(option, mmv.ID(serial), mmv.Help(oneLine, help))...), serial, nil}
		d.say("indom", serial, oneLine, help)
		if words != nil {
			d.say(append([]any{"indomlabel", serial}, words...)...)
		}
		for i := range d.IntN(6) {
			id, name := i, d.name()
			if d.IntN(2) == 0 {
				id = 1000 + d.number(1<<30)
			}
			if d.IntN(5) == 0 {
				name = "with blanks " + d.word(2, 40)
			}
			option, words := d.label()
			dom.Instance(int32(id), name, option...)
			dom.names = append(dom.names, name)
			d.say("instance", serial, id, name)
			if words != nil {
				d.say(append([]any{"instancelabel", serial, id}, words...)...)
			}
		}
		d.domains = append(d.domains, dom)
	}
}

// drawMetrics registers metrics of all types, and sets values.
func (d *draw) drawMetrics(n int) {
	for i := range n {
		name, item, oneLine, help := d.name(), d.number(1023), d.text(), d.text()
		if d.IntN(3) == 0 && len(name) < 60 {
			name = "a." + name[:len(name)/2] + "._" + name[len(name)/2:]
		}
		if i == 0 && d.version == 2 {
			name = d.word(64, 255)
		}
		options, words := d.label()
		options = append(options, mmv.ID(item), mmv.Help(oneLine, help))
		serial, insts := 0, []string{""}
		if len(d.domains) > 0 && d.IntN(2) == 0 {
			dom := d.domains[d.IntN(len(d.domains))]
			serial, insts = dom.serial, dom.names
			options = append(options, mmv.Per(dom.Domain))
		}
		kind, sem := d.IntN(8), pcp.Instant
		units := d.units(kind)
		if kind != 7 {
			options = append(options, mmv.Units(units.String()))
		}
		if sem = [...]pcp.Sem{pcp.Instant, pcp.Counter, pcp.Discrete}[d.IntN(3)]; kind == 6 {
			sem = pcp.Discrete
		} else if kind == 7 {
			sem = pcp.Counter
		}
		if sem == pcp.Discrete && kind != 6 {
			options = append(options, mmv.Discrete())
		}
		t := []pcp.Type{pcp.Int32, pcp.Uint32, pcp.Int64, pcp.Uint64, pcp.Float, pcp.Double, pcp.String, mmv.Elapsed}[kind]
		d.say("metric", name, item, int(t), int(sem), units.Word(), serial, oneLine, help)
		if words != nil {
			d.say(append([]any{"metriclabel", item}, words...)...)
		}
		switch kind {
		case 0:
			number[int32](d, name, sem, insts, options, func(x int32) uint64 { return uint64(uint32(x)) })
		case 1:
			number[uint32](d, name, sem, insts, options, func(x uint32) uint64 { return uint64(x) })
		case 2:
			number[int64](d, name, sem, insts, options, func(x int64) uint64 { return uint64(x) })
		case 3:
			number[uint64](d, name, sem, insts, options, func(x uint64) uint64 { return x })
		case 4:
			number[float32](d, name, sem, insts, options, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
		case 5:
			number[float64](d, name, sem, insts, options, math.Float64bits)
		case 6:
			d.drawText(name, insts, options)
		case 7:
			d.drawTimer(name, insts, options)
		}
	}
}

// units returns units that have a text; those of elapsed time are fixed.
func (d *draw) units(kind int) pcp.Units {
	if kind == 7 {
		return pcp.Units{DimTime: 1, ScaleTime: pcp.Usec}
	}
	texts := []string{"", "count", "byte", "Kbyte / sec", "count / sec", "sec", "millisec / count", "Mbyte^2", "count x 10^3", "hour", "byte^-1", "nanosec"}
	u, _, err := pcp.ParseUnits(texts[d.IntN(len(texts))])
	if err != nil {
		return pcp.Units{}
	}
	return u
}

// number registers a numeric metric, and gives it values.
func number[T mmv.Numeric](d *draw, name string, sem pcp.Sem, insts []string, options []mmv.Option, word func(T) uint64) {
	make := mmv.Gauge[T]
	if sem == pcp.Counter {
		make = mmv.Counter[T]
	}
	n := make(d.reg, name, options...)
	for _, inst := range insts {
		if d.IntN(4) == 0 {
			continue
		}
		at, x := n, T(d.IntN(1<<30))/3
		if inst != "" {
			at = n.At(inst)
		}
		at.Set(x)
		at.Add(1)
		d.after = append(d.after, line("word", name, inst, word(x+1)))
	}
}

// drawText registers a text, and gives it values.
func (d *draw) drawText(name string, insts []string, options []mmv.Option) {
	s := mmv.Text(d.reg, name, options...)
	for _, inst := range insts {
		at := s
		if inst != "" {
			at = s.At(inst)
		}
		for range d.IntN(3) {
			text := d.word(2, 254) // the reference ignores a longer one
			at.Set(text)
			d.after = append(d.after, line("string", name, inst, text))
		}
	}
}

// drawTimer registers a metric of elapsed time, and gives it values.
func (d *draw) drawTimer(name string, insts []string, options []mmv.Option) {
	w := mmv.Timer(d.reg, name, options...)
	for _, inst := range insts {
		at, took := w, 1+d.IntN(1<<30)
		if inst != "" {
			at = w.At(inst)
		}
		at.Add(time.Duration(took) * time.Microsecond)
		d.after = append(d.after, line("add", name, inst, took))
	}
}
