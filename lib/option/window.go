package option

import (
	"errors"
	"fmt"

	"pmtools/lib/when"
)

// Window returns the time window that -S, -T, -A and -O ask for.
func (o *Options) Window(b when.Base) (when.Window, error) {
	spec := when.Spec{Start: o.Start, Finish: o.Finish, Align: o.Align, Origin: o.Origin}
	for _, part := range []struct {
		empty bool
		part  when.Part
	}{
		{o.HasStart && o.Start == "", when.PartStart}, {o.HasFinish && o.Finish == "", when.PartFinish},
		{o.HasAlign && o.Align == "", when.PartAlign}, {o.HasOrigin && o.Origin == "", when.PartOrigin},
	} {
		if part.empty {
			spec.Empty |= part.part
		}
	}
	w, err := spec.Window(b)
	if bad, ok := errors.AsType[*when.SyntaxError](err); ok {
		return w, fmt.Errorf("invalid time window.\n%s", bad.Caret())
	}
	return w, err
}

// CheckWindow returns an error if there are options of a window, but the source is no archive.
func (o *Options) CheckWindow() error {
	if kind, _ := o.Source(); kind != Archive && (o.HasStart || o.HasAlign || o.HasOrigin) {
		return errors.New("time window options are supported for archives only")
	}
	return nil
}
