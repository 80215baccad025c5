package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Quantile is the smallest sample that a part of all samples does not exceed.
type Quantile struct {
	Name string // p99.9
	Part float64
}

// ParseQuantiles returns the quantiles that a list of percentages has, such as 50,90,99.9, in ascending order.
func ParseQuantiles(text string) (list []Quantile, err error) {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		percent, err := strconv.ParseFloat(word, 64)
		if err != nil || !(percent > 0 && percent < 100) {
			return nil, fmt.Errorf("%q is not a percentage between 0 and 100, as in 50,90,99.9", word)
		}
		name := strconv.FormatFloat(percent, 'f', -1, 64)
		part, err := strconv.ParseFloat(name+"e-2", 64) // a division would round again
		if err != nil {
			return nil, err
		}
		list = append(list, Quantile{"p" + name, part})
	}
	slices.SortFunc(list, func(a, b Quantile) int { return cmp.Compare(a.Part, b.Part) })
	return slices.Compact(list), nil
}
