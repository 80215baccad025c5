package fetchgroup

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"pmtools/lib/pcp"
)

// This file reads struct types. It asks no source.

type shape uint8

const (
	isScalar shape = iota
	isMap          // a map by the names of instances
	isRows         // a slice of structs, one for each instance
	isTime
	isInstance
)

type field struct {
	tag
	path   string // Struct.Field
	index  int
	shape  shape
	opt    bool     // the field is an Opt, or a map of Opts
	kind   pcp.Type // type of the value; Int32 for the number of an instance
	fields []*field // fields of the elements, for isRows

	item  *item  // item of a single value; nil before it is bound, and for an optional metric that does not exist
	inDom *inDom // the same
	none  slot   // value of an optional metric that does not exist

	at        int           // isRows: position in inDom
	insts     []int32       // isRows: memory for union
	key, elem reflect.Value // isMap: memory for an entry
}

// fieldsOf returns the fields with tags. One with a mistake has no metric, so that it is not registered.
func fieldsOf(t reflect.Type, path string, row bool) (fields []*field, bad Mistakes) {
	for i := range t.NumField() {
		sf := t.Field(i)
		text, tagged := sf.Tag.Lookup("pcp")
		if !tagged && !(sf.Type.Kind() == reflect.Slice && sf.Type.Elem().Kind() == reflect.Struct && hasTags(sf.Type.Elem())) {
			continue
		}
		f := &field{path: path + "." + sf.Name, index: i}
		f.text = text
		fail := func(at int, format string, args ...any) {
			bad = append(bad, &Mistake{Field: f.path, Tag: text, Pos: at, Err: fmt.Errorf(format, args...)})
			f.tag = tag{}
		}
		switch {
		case !sf.IsExported():
			fail(0, "the field is not exported")
		case !tagged && row:
			fail(0, "a slice of structs inside another")
		case !tagged:
			var inner Mistakes
			f.shape = isRows
			f.fields, inner = fieldsOf(sf.Type.Elem(), f.path, true)
			bad = append(bad, inner...)
		default:
			var err error
			if f.tag, err = parseTag(text); err != nil {
				fail(err.(*tagError).at, "%w", err)
			} else if msg := f.classify(sf.Type, row); msg != "" {
				fail(0, "%s", msg)
			}
		}
		fields = append(fields, f)
	}
	return fields, bad
}

func hasTags(t reflect.Type) bool {
	for i := range t.NumField() {
		if _, ok := t.Field(i).Tag.Lookup("pcp"); ok {
			return true
		}
	}
	return false
}

// classify finds the shape of a field from its tag and its Go type, or a mistake.
func (f *field) classify(t reflect.Type, row bool) string {
	switch {
	case f.isTime && t != reflect.TypeFor[time.Time]():
		return "the option time is for a time.Time, not " + t.String()
	case f.isTime:
		f.shape = isTime
		return ""
	case f.isInstance && !row:
		return "the option instance is for structs in a slice"
	case f.isInstance:
		f.shape = isInstance
		if f.kind = kindOf(t); f.kind != pcp.String && f.kind != pcp.Int32 {
			return "the option instance is for a string or an int32, not " + t.String()
		}
		return ""
	case t.Kind() == reflect.Map && !row:
		f.shape = isMap
		if t.Key().Kind() != reflect.String {
			return "the keys of " + t.String() + " are not strings"
		}
		if f.instance != "" {
			return "one instance makes no map"
		}
		t = t.Elem()
	case f.instance != "" && row:
		return "one instance in a struct that has one for each"
	}
	if o, ok := reflect.New(t).Interface().(optional); ok {
		f.opt, f.kind = true, o.kind()
	} else {
		f.kind = kindOf(t)
	}
	if f.kind == pcp.NoSupport {
		return "no metric has values of type " + t.String() + ": take int, int32, int64, uint, uint32, uint64, float32, float64, string, Opt, a map or a slice of structs"
	}
	return ""
}

// kindOf returns the type of values for a Go type, or NoSupport.
func kindOf(t reflect.Type) pcp.Type {
	kinds := map[reflect.Kind]pcp.Type{
		reflect.Int: typeOf[int](), reflect.Int32: pcp.Int32, reflect.Int64: pcp.Int64,
		reflect.Uint: typeOf[uint](), reflect.Uint32: pcp.Uint32, reflect.Uint64: pcp.Uint64,
		reflect.Float32: pcp.Float, reflect.Float64: pcp.Double, reflect.String: pcp.String,
	}
	if kind, ok := kinds[t.Kind()]; ok {
		return kind
	}
	return pcp.NoSupport
}

func (f *field) put(v reflect.Value, s *slot) {
	switch {
	case f.opt:
		v.Addr().Interface().(optional).set(s)
	case f.kind == pcp.String:
		v.SetString(s.text)
	case f.kind == pcp.Double:
		v.SetFloat(math.Float64frombits(s.word))
	case f.kind == pcp.Float:
		v.SetFloat(float64(math.Float32frombits(uint32(s.word))))
	case v.CanInt():
		v.SetInt(int64(s.word))
	default:
		v.SetUint(s.word)
	}
}
