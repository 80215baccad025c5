// Package fetchgroup compares lib/fetchgroup with the reference's fetch groups: both sides run the
// same script of calls, and print what each returned.
package fetchgroup

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"pmtools/derive"
	"pmtools/lib/fetchgroup"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// A script is the lines of a script: a word and its arguments, separated by tabs; "@" is a null
// pointer.
//
//	open KIND NAME                       a new group: 1 is a host, 2 an archive
//	mode MODE SEC NSEC DELTASEC DELTANSEC
//	derive NAME EXPR
//	item METRIC INSTANCE SCALE TYPE
//	domain METRIC SCALE TYPE
//	event METRIC INSTANCE FIELD SCALE TYPE
//	fetch, clear, sleep MILLISECONDS
type script []string

// add appends a line.
func (s *script) add(words ...any) {
	text := make([]string, len(words))
	for i, w := range words {
		text[i] = fmt.Sprint(w)
	}
	*s = append(*s, strings.Join(text, "\t"))
}

// A runner is our side.
type runner struct {
	dialer *pmcd.Dialer
	g      *fetchgroup.Group
	src    *derive.Source
	show   []func(b *strings.Builder)
}

// run returns what our side prints.
func (r *runner) run(s script) string {
	var b strings.Builder
	for _, line := range s {
		r.line(&b, strings.Split(line, "\t"))
	}
	if r.g != nil {
		r.g.Close()
	}
	return b.String()
}

// line runs a line of the script.
func (r *runner) line(b *strings.Builder, f []string) {
	ctx := context.Background()
	if f[0] == "open" {
		fmt.Fprintf(b, "open %d\n", r.open(ctx, f[1], f[2]))
		return
	}
	if r.g == nil {
		return
	}
	num := func(i int) int64 { n, _ := strconv.ParseInt(f[i], 10, 64); return n }
	switch f[0] {
	case "mode":
		at := pcp.Timestamp{Sec: num(2), Nsec: int32(num(3))}
		err := r.g.Context().SetMode(pcp.Mode(num(1)), &at, time.Duration(num(4))*time.Second+time.Duration(num(5)))
		fmt.Fprintf(b, "mode %d\n", int32(pmerr.Of(err)))
	case "derive":
		bad := 0
		if r.src.Add(ctx, f[1], f[2]) != nil {
			bad = 1
		}
		fmt.Fprintf(b, "derive %d\n", bad)
	case "clear":
		r.g.Clear()
		r.show = nil
		b.WriteString("clear 0\n")
	case "sleep":
		time.Sleep(time.Duration(num(1)) * time.Millisecond)
	case "fetch":
		changes, err := r.g.Fetch(ctx)
		if err != nil {
			fmt.Fprintf(b, "fetch %d -\n", int32(pmerr.Of(err)))
		} else {
			fmt.Fprintf(b, "fetch %d %s\n", changes, stamp(r.g.Time()))
		}
		for _, show := range r.show {
			show(b)
		}
	default:
		show, err := r.register(ctx, f)
		fmt.Fprintf(b, "%s %d\n", f[0], int32(pmerr.Of(err)))
		if err == nil {
			r.show = append(r.show, show)
		}
	}
}

// open opens a group and returns the status.
func (r *runner) open(ctx context.Context, kind, name string) int32 {
	if r.g != nil {
		r.g.Close()
	}
	r.g, r.show = nil, nil
	var src pmapi.Source
	var err error
	if kind == "2" {
		src, err = pmapi.OpenArchive(ctx, name, nil)
	} else {
		src, err = pmapi.OpenHost(ctx, name, r.dialer)
	}
	if err != nil {
		return int32(pmerr.Of(err))
	}
	r.src = derive.NewSource(src, nil, nil)
	r.g = fetchgroup.New(r.src, nil)
	return 0
}

// register registers an item of any kind.
func (r *runner) register(ctx context.Context, f []string) (func(b *strings.Builder), error) {
	switch f[len(f)-1] {
	case "0":
		return typed[int32](ctx, r.g, f)
	case "1":
		return typed[uint32](ctx, r.g, f)
	case "2":
		return typed[int64](ctx, r.g, f)
	case "3":
		return typed[uint64](ctx, r.g, f)
	case "4":
		return typed[float32](ctx, r.g, f)
	case "5":
		return typed[float64](ctx, r.g, f)
	}
	return typed[string](ctx, r.g, f)
}

// null returns an argument, "" for a null pointer.
func null(s string) string {
	if s == "@" {
		return ""
	}
	return s
}

// typed registers an item as Ts.
func typed[T fetchgroup.Type](ctx context.Context, g *fetchgroup.Group, f []string) (func(b *strings.Builder), error) {
	switch f[0] {
	case "item":
		x, err := fetchgroup.Add[T](ctx, g, f[1], null(f[2]), null(f[3]))
		return func(b *strings.Builder) {
			v, err := x.Value()
			fmt.Fprintf(b, "  i %d %s\n", int32(pmerr.Of(err)), text(v, err))
		}, err
	case "domain":
		x, err := fetchgroup.AddInDom[T](ctx, g, f[1], null(f[2]))
		return func(b *strings.Builder) {
			fmt.Fprintf(b, "  d %d %d", int32(pmerr.Of(x.Err())), x.Len())
			for s := range x.All() {
				name := "@"
				if s.Name != "" {
					name = text(s.Name, nil)
				}
				fmt.Fprintf(b, "\n    %d %s %d %s", s.Inst, name, int32(pmerr.Of(s.Err)), text(s.Value, s.Err))
			}
			b.WriteByte('\n')
		}, err
	}
	x, err := fetchgroup.AddEvent[T](ctx, g, f[1], null(f[2]), f[3], null(f[4]))
	return func(b *strings.Builder) {
		fmt.Fprintf(b, "  e %d %d", int32(pmerr.Of(x.Err())), x.Len())
		for e := range x.All() {
			at := "-"
			if e.Err == nil {
				at = stamp(e.Time)
			}
			fmt.Fprintf(b, "\n    %s %d %s", at, int32(pmerr.Of(e.Err)), text(e.Value, e.Err))
		}
		b.WriteByte('\n')
	}, err
}

// stamp returns a time in seconds.
func stamp(t time.Time) string { return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()) }

// text returns a value as the driver prints it; a string without a value is a null pointer.
func text(v any, err error) string {
	switch v := v.(type) {
	case float32:
		if v != v {
			return "nan"
		}
		return fmt.Sprintf("%08x", math.Float32bits(v))
	case float64:
		if v != v {
			return "nan"
		}
		return fmt.Sprintf("%016x", math.Float64bits(v))
	case string:
		if v == "" && err != nil {
			return "@"
		}
		return `"` + strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(v) + `"`
	}
	return fmt.Sprint(v)
}
