package format

import (
	"fmt"
	"math"
	"strings"

	"pmtools/lib/pcp"
)

// A Family is the name and type of a metric in OpenMetrics and Prometheus.
type Family struct {
	Name   string // without the suffix
	Kind   string // "counter", "gauge" or, for values that are not numbers, "info"
	Suffix string // suffix of the names of samples: "_total", "_info" or none
	Unit   string // "bytes", "seconds", "bytes_per_second" or none; it is part of the name
	Factor float64
	over   float64 // Factor is a whole number over this one
}

// Scale returns a value in the base unit. Where the factor is a fraction it divides, so that decimals stay as they are: 861 ms
// are 0.861 s, while 861 times the double next to 0.001 may be another number.
func (f *Family) Scale(value float64) float64 {
	if f.over <= 1 {
		return value * f.Factor
	}
	return value * math.Round(f.Factor*f.over) / f.over
}

// wholeOver returns the smallest of the ratios between units of time by which a factor becomes a whole number.
func wholeOver(factor float64) float64 {
	for _, over := range []float64{1, 60, 1e3, 3600, 1e6, 1e9} {
		if n := math.Round(factor * over); n > 0 && n/over == factor {
			return over
		}
	}
	return 1
}

// Families names families so that no two, and no samples of two, have the same name. Its zero value is ready to be used.
type Families struct{ used map[string]bool }

// Family is [OpenMetricsFamily] with underscores at the end of a name that is in use.
func (fs *Families) Family(name string, d *pcp.Desc) Family {
	f := OpenMetricsFamily(name, d)
	for fs.used[f.Name] || fs.used[f.Name+f.Suffix] {
		f.Name += "_"
	}
	if fs.used == nil {
		fs.used = make(map[string]bool)
	}
	fs.used[f.Name], fs.used[f.Name+f.Suffix] = true, true
	return f
}

// Doubles collects series that are left out as duplicates in name and labels, such as those of instances that differ only in
// bytes that are not UTF-8. Its zero value is empty.
type Doubles struct {
	names []string
	n     int
}

// maxDoubles is how many series a message names.
const maxDoubles = 10

// Add adds the series of an instance, which is "" for a metric without instances, of one of several hosts, or "".
func (d *Doubles) Add(metric, instance, host string) {
	if d.n++; d.n > maxDoubles {
		return
	}
	if instance != "" {
		metric = fmt.Sprintf("%s[%q]", metric, instance)
	}
	if host != "" {
		metric = fmt.Sprintf("%s of %q", metric, host)
	}
	d.names = append(d.names, metric)
}

// Err returns an error that names the series, nil if there are none.
func (d *Doubles) Err() error {
	if d.n == 0 {
		return nil
	}
	more := ""
	if n := d.n - len(d.names); n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return fmt.Errorf("left out, as other series have the same name and labels: %s%s", strings.Join(d.names, ", "), more)
}

// OpenMetricsFamily returns the family of a metric in OpenMetrics. Characters other than letters and digits
// become underscores; values are multiplied by the factor, which converts them to the base unit.
func OpenMetricsFamily(name string, d *pcp.Desc) Family {
	f := Family{Name: familyName(name), Kind: "gauge"}
	f.Unit, f.Factor = baseUnit(d.Units)
	f.over = wholeOver(f.Factor)
	if f.Unit != "" && !strings.HasSuffix(f.Name, "_"+f.Unit) {
		f.Name += "_" + f.Unit
	}
	switch {
	case !d.Type.Arithmetic():
		f.Kind, f.Suffix = "info", "_info"
	case d.Sem == pcp.Counter:
		f.Kind, f.Suffix = "counter", "_total"
		f.Name = strings.TrimSuffix(f.Name, "_total")
	}
	return f
}

// OpenMetricsHelp returns the help text of a metric in OpenMetrics: its name in PCP and its
// description.
func OpenMetricsHelp(name string, d *pcp.Desc) string {
	return name + " (" + string(AppendSummary(nil, d)) + ")"
}

// baseUnit returns the base unit of OpenMetrics for plain units of space or time, and the factor to it.
func baseUnit(u pcp.Units) (unit string, factor float64) {
	base := pcp.Units{}
	switch {
	case u.Extra != 0 || u.DimCount != 0:
		return "", 1
	case u.DimSpace == 1 && u.DimTime == 0:
		unit, base.DimSpace = "bytes", 1
	case u.DimTime == 1 && u.DimSpace == 0:
		unit, base.DimTime, base.ScaleTime = "seconds", 1, pcp.Sec
	case u.DimSpace == 1 && u.DimTime == -1:
		unit, base.DimSpace, base.DimTime, base.ScaleTime = "bytes_per_second", 1, -1, pcp.Sec
	default:
		return "", 1
	}
	one, err := pcp.DoubleValue(1).ConvScale(u, base)
	if err == nil {
		factor, err = one.Float64()
	}
	if err != nil {
		return "", 1
	}
	return unit, factor
}

func familyName(expr string) string {
	var b strings.Builder
	for i := range len(expr) {
		switch c := expr[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', '0' <= c && c <= '9' && b.Len() > 0:
			b.WriteByte(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if name := strings.Trim(b.String(), "_"); name != "" {
		return name
	}
	return "value"
}
