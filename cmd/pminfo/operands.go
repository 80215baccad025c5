package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"pmtools/internal/suggest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// operands reports on each operand, or on the whole name space if there are none. It returns false
// if one could not be resolved.
func (r *reporter) operands(ctx context.Context, args []string) bool {
	if len(args) == 0 {
		args = []string{""}
	}
	ok := true
	for _, arg := range args {
		if err := r.operand(ctx, arg); err != nil {
			fmt.Fprintf(r.errs, "Error: %s: %s\n", arg, pmerr.Message(err))
			if r.show.suggest && errors.Is(err, pmerr.Name) {
				r.propose(ctx, arg)
			}
			ok = false
		}
	}
	r.reportFirst(ctx, len(r.pending))
	return ok
}

// operand reports on one operand: a name, an inner node of the name space, the numbers of a metric
// or those of an instance domain.
func (r *reporter) operand(ctx context.Context, arg string) error {
	name := arg
	if arg != "" && isDigit(arg[0]) {
		switch n := scanNumbers(arg); len(n) {
		case 3:
			names, err := r.src.Names(ctx, pcp.NewID(n[0], n[1], n[2]))
			if err != nil {
				return err
			}
			name = names[0]
		case 2:
			r.indom(ctx, pcp.NewInDom(n[0], n[1]))
			return nil
		default:
			return pmerr.Name
		}
	}
	leaves, err := r.leaves(ctx, name)
	if r.show.glob && strings.ContainsAny(name, "*?[") {
		leaves, err = r.matches(ctx, name)
	}
	if err != nil {
		return err
	}
	for _, part := range leaves {
		if len(r.pending) == 0 {
			r.pending = part
		} else {
			r.pending = append(r.pending, part...)
		}
		r.reportFirst(ctx, len(r.pending)-len(r.pending)%r.batch)
	}
	return nil
}

// leaves returns the names at or below a node of the name space, in parts: there may be a million,
// but that does not justify twice as many in memory, or as many metrics.
func (r *reporter) leaves(ctx context.Context, name string) (parts [][]string, err error) {
	var last []string
	if name == "" {
		last = make([]string, 0, window) // of which what is not used is not touched
	}
	err = r.src.Walk(ctx, name, false, func(name string, _ pcp.ID) bool {
		if last = append(last, name); len(last) == window {
			parts, last = append(parts, last), make([]string, 0, window)
		}
		return true
	})
	if len(parts) > manyParts {
		debug.SetGCPercent(50) // what main has set would be several times the names
	}
	return append(parts, last), err
}

// matches returns the names that match a pattern, in which * stands for dots too.
func (r *reporter) matches(ctx context.Context, pattern string) ([][]string, error) {
	fixed := pattern[:strings.IndexAny(pattern, "*?[")]
	node := fixed[:max(strings.LastIndexByte(fixed, '.'), 0)]
	var found []string
	var bad error
	err := r.src.Walk(ctx, node, false, func(name string, _ pcp.ID) bool {
		ok := false
		if ok, bad = path.Match(pattern, name); ok {
			found = append(found, name)
		}
		return bad == nil
	})
	if err = cmp.Or(bad, err); err == nil && len(found) == 0 {
		err = pmerr.Name
	}
	return [][]string{found}, err
}

func (r *reporter) propose(ctx context.Context, unknown string) {
	known, err := pmapi.Leaves(ctx, r.src, "")
	if names := suggest.Names(unknown, known); err == nil && len(names) > 0 {
		fmt.Fprintf(r.errs, "%s: did you mean %s?\n", r.prog, strings.Join(names, " or "))
	}
}

func (r *reporter) reportFirst(ctx context.Context, n int) {
	r.reportAll(ctx, r.pending[:n])
	r.pending = slices.Delete(r.pending, 0, n)
}

// window is the number of metrics per request if that many are wanted. Larger requests are better,
// because an agent gathers its data anew for each.
const window = 4096

// manyParts is the number of windows from which names take most of the heap.
const manyParts = 16

// none is what stands for the values of a metric that was not fetched.
var none pcp.Values

// reportAll reports on metrics, batch by batch. A live source answers in larger pieces.
func (r *reporter) reportAll(ctx context.Context, names []string) {
	if r.show.onlyNames() && !r.show.json {
		for _, name := range names {
			r.out.WriteString(name)
			r.out.WriteByte('\n')
		}
		return
	}
	size := r.batch
	if r.ahead {
		size = max(size, window-window%r.batch)
	}
	ms := make([]metric, min(size, len(names)))
	for part := range slices.Chunk(names, size) {
		ms := ms[:len(part)]
		for i, name := range part {
			ms[i] = metric{name: name, fetched: &none}
		}
		r.ask(ctx, ms)
		for batch := range slices.Chunk(ms, r.batch) {
			r.report(ctx, batch)
		}
	}
}

// scanNumbers returns up to three decimal numbers at the start of s, separated by dots. The rest of
// s is ignored.
func scanNumbers(s string) []uint32 {
	var ns []uint32
	for len(ns) < 3 {
		i, n := 0, uint32(0)
		for i < len(s) && isDigit(s[i]) {
			n = n*10 + uint32(s[i]-'0')
			i++
		}
		if i == 0 {
			break
		}
		ns = append(ns, n)
		rest, more := strings.CutPrefix(s[i:], ".")
		if !more {
			break
		}
		s = rest
	}
	return ns
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
