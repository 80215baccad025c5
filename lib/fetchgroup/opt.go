package fetchgroup

import (
	"encoding/json"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// An Opt is a value that may be missing, as a field of a struct for [Bind].
type Opt[T Type] struct {
	Value  T          // value, or the sentinel of Item.Value beside a status
	Status pmerr.Code // 0 if there is a value
}

// Get returns the value, or its status as an error.
func (o Opt[T]) Get() (T, error) {
	if o.Status != 0 {
		return o.Value, o.Status
	}
	return o.Value, nil
}

// Or returns the value, or other if none is set.
func (o Opt[T]) Or(other T) T {
	if o.Status != 0 {
		return other
	}
	return o.Value
}

// MarshalJSON returns the value, or null if none is set.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.Status != 0 {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

type optional interface {
	kind() pcp.Type
	set(s *slot)
}

func (o *Opt[T]) kind() pcp.Type { return typeOf[T]() }

func (o *Opt[T]) set(s *slot) { o.Value, o.Status = value[T](s), s.code }
