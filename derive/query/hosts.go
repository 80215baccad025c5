package query

import (
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// This file puts the samples of a host into the shape of those of the first host.

// placesIn returns where the metrics of a Header are in another one, most probably at the same places, and -1 for those
// that it does not have, which the error names.
func placesIn(first, own *sampling.Header) (places []int, err error) {
	var others []string
	for i := range own.Metrics {
		name, at := own.Metrics[i].Name, i
		if at >= len(first.Metrics) || first.Metrics[at].Name != name {
			at = slices.IndexFunc(first.Metrics, func(m sampling.Metric) bool { return m.Name == name })
		}
		if places = append(places, at); at < 0 {
			others = append(others, name)
		}
	}
	if others != nil {
		err = fmt.Errorf("left out, as the first host does not have it: %s", strings.Join(others, ", "))
	}
	return places, err
}

// appendIn appends the values of a host at a time to a set, in other units than they have. Those that cannot be
// converted are unknown.
func appendIn(dst, src *sampling.Set, from, to pcp.Units, host string, at pcp.Timestamp) {
	for i := range src.Len() {
		v := src.At(i)
		v.Host, v.Time = host, at
		if from != to {
			v.Value, _ = v.Value.ConvScale(from, to) // beside an error it is not set
		}
		dst.Append(v)
	}
}
