package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
			ok = false
		}
	}
	r.flush(ctx)
	return ok
}

// operand reports on one operand: a name, an inner node of the name space, the
// numbers of a metric or those of an instance domain.
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
	ms, err := r.leaves(ctx, name)
	if err != nil {
		return err
	}
	r.pending = append(r.pending, ms...)
	full := len(r.pending) - len(r.pending)%r.batch
	r.reportAll(ctx, r.pending[:full])
	r.pending = slices.Delete(r.pending, 0, full)
	return nil
}

// leaves returns the metrics at or below a node of the name space, of which the
// names are known so far.
func (r *reporter) leaves(ctx context.Context, name string) (ms []metric, err error) {
	err = pmapi.WalkNames(ctx, r.src, name, func(name string) bool {
		ms = append(ms, metric{name: name})
		return true
	})
	return ms, err
}

// flush reports on the metrics that wait for their batch to be full.
func (r *reporter) flush(ctx context.Context) {
	r.reportAll(ctx, r.pending)
	r.pending = r.pending[:0]
}

// window is how many metrics are asked for at once where so many are known to be
// wanted. Larger requests are better: for each an agent looks at its data again.
const window = 4096

// reportAll reports on metrics, batch by batch. What a live source answers comes in
// larger pieces.
func (r *reporter) reportAll(ctx context.Context, ms []metric) {
	size := r.batch
	if r.ahead {
		size = max(size, window-window%r.batch)
	}
	for part := range slices.Chunk(ms, size) {
		r.ask(ctx, part)
		for batch := range slices.Chunk(part, r.batch) {
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

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
