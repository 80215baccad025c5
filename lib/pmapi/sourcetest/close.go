package sourcetest

import (
	"context"
	"errors"
	"reflect"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// store sends stores that every Source rejects, and one that a recording rejects.
func (k *kit) store() {
	if k.bare {
		return
	}
	if err := pmapi.Store(k.ctx, k.src, nil); !isAny(err, pmerr.TooSmall, pmerr.NotHost) {
		k.errorf("Store of nothing: error %v, want %v or %v", err, pmerr.TooSmall, pmerr.NotHost)
	}
	one := []pcp.Values{{ID: k.unknownID(), Type: pcp.Int32, Insts: []int32{pcp.NullInst}, Words: []uint64{1}}}
	if err := pmapi.Store(k.ctx, k.src, one); err == nil || k.time != nil && !errors.Is(err, pmerr.NotHost) {
		k.errorf("Store to an unknown metric: error %v", err)
	}
}

// close closes twice, after a fetch. Every other method must fail then.
func (k *kit) close() {
	k.move()
	for range 2 {
		if err := k.src.Close(); err != nil {
			k.errorf("Close: %v", err)
		}
	}
	k.closed(reflect.TypeFor[pmapi.Source](), k.src)
	if live, ok := k.src.(pmapi.Live); ok {
		k.closed(reflect.TypeFor[pmapi.Live](), live)
	}
	if k.time != nil {
		k.closed(reflect.TypeFor[pmapi.Timeline](), k.time)
	}
}

// closed calls each method of an interface that can fail, by reflection, so that methods added later
// are called too.
func (k *kit) closed(t reflect.Type, src any) {
	for i := range t.NumMethod() {
		m := t.Method(i)
		n := m.Type.NumOut()
		if m.Name == "Close" || n == 0 || m.Type.Out(n-1) != reflect.TypeFor[error]() {
			continue
		}
		args := make([]reflect.Value, m.Type.NumIn())
		for j := range args {
			args[j] = k.argument(m.Type.In(j))
		}
		out := reflect.ValueOf(src).MethodByName(m.Name).Call(args)
		if err, _ := out[n-1].Interface().(error); !errors.Is(err, pmerr.NoContext) {
			k.errorf("%s after Close: error %v, want %v", m.Name, err, pmerr.NoContext)
		}
	}
}

// argument returns an argument that an open Source can answer, if possible.
func (k *kit) argument(t reflect.Type) reflect.Value {
	switch t {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(k.ctx)
	case reflect.TypeFor[string]():
		return reflect.ValueOf("")
	case reflect.TypeFor[[]pcp.ID]():
		return reflect.ValueOf(k.ids)
	case reflect.TypeFor[[]pcp.InDom]():
		return reflect.ValueOf(k.indoms)
	case reflect.TypeFor[pcp.Mode]():
		return reflect.ValueOf(pcp.Forward)
	case reflect.TypeFor[pcp.ID]():
		if len(k.ids) > 0 {
			return reflect.ValueOf(k.ids[0])
		}
	case reflect.TypeFor[pcp.InDom]():
		if len(k.indoms) > 0 {
			return reflect.ValueOf(k.indoms[0])
		}
	case reflect.TypeFor[*pmapi.Request]():
		return reflect.ValueOf(&pmapi.Request{IDs: k.ids})
	case reflect.TypeFor[*pcp.Result]():
		return reflect.ValueOf(new(pcp.Result))
	}
	if t.Kind() == reflect.Func {
		return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })
	}
	return reflect.Zero(t)
}
