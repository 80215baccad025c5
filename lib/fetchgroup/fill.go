package fetchgroup

import (
	"reflect"
	"slices"
	"time"

	"pmtools/lib/pmerr"
)

func fill(v reflect.Value, fields []*field, g *Group) {
	for _, f := range fields {
		dst := v.Field(f.index)
		switch f.shape {
		case isTime:
			*dst.Addr().Interface().(*time.Time) = g.Time()
		case isMap:
			f.fillMap(dst)
		case isRows:
			f.fillRows(dst)
		default:
			s := &f.none
			if f.item != nil {
				s = &f.item.slot
			}
			f.put(dst, s)
		}
	}
}

// fillMap fills a map with the named instances that have values.
func (f *field) fillMap(dst reflect.Value) {
	if dst.IsNil() {
		dst.Set(reflect.MakeMap(dst.Type()))
	} else {
		dst.Clear()
	}
	if f.inDom == nil {
		return
	}
	if !f.key.IsValid() {
		f.key, f.elem = reflect.New(dst.Type().Key()).Elem(), reflect.New(dst.Type().Elem()).Elem()
	}
	for i := range f.inDom.slots {
		s := &f.inDom.slots[i]
		if f.inDom.names[i] == "" || s.code != 0 && !f.opt {
			continue
		}
		f.key.SetString(f.inDom.names[i])
		f.put(f.elem, s)
		dst.SetMapIndex(f.key, f.elem)
	}
}

func (f *field) fillRows(dst reflect.Value) {
	insts := f.union()
	if dst.Cap() < len(insts) {
		dst.Set(reflect.MakeSlice(dst.Type(), len(insts), len(insts)))
	}
	dst.SetLen(len(insts))
	for _, x := range f.fields {
		x.at = 0
	}
	for i, inst := range insts {
		row := dst.Index(i)
		name := ""
		for _, x := range f.fields {
			if x.shape == isInstance {
				continue
			}
			s := x.next(inst)
			x.put(row.Field(x.index), s)
			if x.inDom != nil && x.at > 0 && x.inDom.insts[x.at-1] == inst {
				name = x.inDom.names[x.at-1]
			}
		}
		// Fields of the instance come last: the other fields know its name.
		for _, x := range f.fields {
			if x.shape == isInstance {
				x.none.word, x.none.text = uint64(int64(inst)), name
				x.put(row.Field(x.index), &x.none)
			}
		}
	}
}

// next returns the value of an instance. Calls ascend by instance.
func (f *field) next(inst int32) *slot {
	if x := f.inDom; x == nil {
		return &f.none
	} else if f.at < len(x.insts) && x.insts[f.at] == inst {
		f.at++
		return &x.slots[f.at-1]
	} else if f.none.code == 0 {
		f.none.fail(f.kind, pmerr.Value)
	}
	return &f.none
}

// union returns the instances of all fields of a struct, ascending.
func (f *field) union() []int32 {
	var first *inDom
	same := true
	for _, x := range f.fields {
		switch {
		case x.inDom == nil:
		case first == nil:
			first = x.inDom
		default:
			same = same && slices.Equal(first.insts, x.inDom.insts)
		}
	}
	if first == nil {
		return nil
	}
	if same {
		return first.insts
	}
	f.insts = f.insts[:0]
	for _, x := range f.fields {
		if x.inDom != nil {
			f.insts = append(f.insts, x.inDom.insts...)
		}
	}
	slices.Sort(f.insts)
	f.insts = slices.Compact(f.insts)
	return f.insts
}
