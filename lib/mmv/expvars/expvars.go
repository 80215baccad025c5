// Package expvars gives the variables of package expvar to readers of memory-mapped values:
//
//	vars := expvars.New(registry)
//	go mmv.Every(ctx, time.Second, vars.Update)
package expvars

import (
	"encoding/json"
	"expvar"
	"maps"
	"slices"

	"pmtools/lib/mmv"
)

// Vars are the variables of a program as metrics of a registry. It may not be shared by goroutines.
//
// An Int, a Float or a String is a metric. A Map of Ints is a metric with an instance for each key.
// Any other Map, or a Func that returns an object, is a metric for each key, with a name below its
// own; a Func that returns a number, a string or a bool is a metric as well.
type Vars struct {
	// Skip reports whether to leave a variable out; nil leaves out cmdline and memstats, which every
	// program has (for the latter see package goruntime).
	Skip func(name string) bool
	// Counter reports whether the metric of a name only grows; nil means that none does.
	Counter func(name string) bool

	reg   *mmv.Registry
	ints  map[string]*mmv.Number[int64]
	reals map[string]*mmv.Number[float64]
	texts map[string]*mmv.String
}

// New returns the variables, which [Vars.Update] registers.
func New(r *mmv.Registry) *Vars {
	return &Vars{reg: r, ints: map[string]*mmv.Number[int64]{}, reals: map[string]*mmv.Number[float64]{}, texts: map[string]*mmv.String{}}
}

// Update registers new variables, and sets the values of all. [mmv.Registry.Err] reports errors.
func (v *Vars) Update() {
	skip := v.Skip
	if skip == nil {
		skip = func(name string) bool { return name == "cmdline" || name == "memstats" }
	}
	v.reg.Batch(func() {
		expvar.Do(func(kv expvar.KeyValue) {
			if !skip(kv.Key) {
				v.show(mmv.NameOf(kv.Key), kv.Value)
			}
		})
	})
}

func (v *Vars) show(name string, x any) {
	switch x := x.(type) {
	case *expvar.Int:
		v.int(name).Set(x.Value())
	case *expvar.Float:
		v.real(name).Set(x.Value())
	case *expvar.String:
		v.text(name).Set(x.Value())
	case *expvar.Map:
		v.showMap(name, x)
	case expvar.Var:
		var parsed any
		if json.Unmarshal([]byte(x.String()), &parsed) == nil {
			v.show(name, parsed)
		}
	case float64:
		v.real(name).Set(x)
	case string:
		v.text(name).Set(x)
	case bool:
		n := int64(0)
		if x {
			n = 1
		}
		v.int(name).Set(n)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			v.show(name+"."+mmv.NameOf(key), x[key])
		}
	}
}

func (v *Vars) showMap(name string, x *expvar.Map) {
	ints := true
	x.Do(func(kv expvar.KeyValue) {
		_, ok := kv.Value.(*expvar.Int)
		ints = ints && ok
	})
	x.Do(func(kv expvar.KeyValue) {
		if !ints {
			v.show(name+"."+mmv.NameOf(kv.Key), kv.Value)
			return
		}
		if v.ints[name] == nil {
			v.ints[name] = number[int64](v, name, mmv.Per(v.reg.Domain()))
		}
		v.ints[name].At(kv.Key).Set(kv.Value.(*expvar.Int).Value())
	})
}

// int, real and text return the metric of a variable, and register a new one.
func (v *Vars) int(name string) *mmv.Number[int64] {
	if v.ints[name] == nil {
		v.ints[name] = number[int64](v, name)
	}
	return v.ints[name]
}

func (v *Vars) real(name string) *mmv.Number[float64] {
	if v.reals[name] == nil {
		v.reals[name] = number[float64](v, name)
	}
	return v.reals[name]
}

func (v *Vars) text(name string) *mmv.String {
	if v.texts[name] == nil {
		v.texts[name] = mmv.Text(v.reg, name)
	}
	return v.texts[name]
}

func number[T mmv.Numeric](v *Vars, name string, opts ...mmv.Option) *mmv.Number[T] {
	if v.Counter != nil && v.Counter(name) {
		return mmv.Counter[T](v.reg, name, opts...)
	}
	return mmv.Gauge[T](v.reg, name, opts...)
}
