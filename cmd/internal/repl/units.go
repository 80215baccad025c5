package repl

import (
	"context"
	"strings"

	"pmtools/derive/query"
	"pmtools/lib/pcp"
)

// unitsOf returns the units that the values of an expression, or their rate, can be converted to, as
// pcp.ParseUnits reads them. An expression that is wrong has none.
func unitsOf(ctx context.Context, b *query.Binder, text string) (names []string) {
	x, err := b.Compile(ctx, text)
	if err != nil {
		return nil
	}
	units := x.Info.Root.Units
	if x.Rate != nil {
		units = x.Rate.Root.Units
	}
	for _, scaled := range scales(units) {
		name := strings.ReplaceAll(scaled.String(), " ", "")
		if back, _, err := pcp.ParseUnits(name); err == nil && back == scaled {
			names = append(names, name)
		}
		if rest, ok := strings.CutPrefix(name, "byte"); ok && units.DimSpace == 1 {
			for _, unit := range query.Bits() {
				names = append(names, unit+rest)
			}
		}
	}
	return names
}

// scales returns units with each scale of space that they have, or else each of time.
func scales(u pcp.Units) (all []pcp.Units) {
	switch {
	case u.DimSpace != 0:
		for u.ScaleSpace = pcp.Byte; u.ScaleSpace <= pcp.Ebyte; u.ScaleSpace++ {
			all = append(all, u)
		}
	case u.DimTime != 0:
		for u.ScaleTime = pcp.Nsec; u.ScaleTime <= pcp.Hour; u.ScaleTime++ {
			all = append(all, u)
		}
	case u != pcp.Units{}:
		all = append(all, u)
	}
	return all
}
