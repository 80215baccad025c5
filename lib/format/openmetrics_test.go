package format

import (
	"testing"

	"pmtools/lib/pcp"
)

func TestFamilyName(t *testing.T) {
	for _, tt := range []struct{ expr, want string }{
		{"disk.dev.read", "disk_dev_read"}, {"a + b * 2", "a_b_2"}, {"sum(a)", "sum_a"}, {"2 * a", "a"}, {"1", "value"}, {"é", "value"}, {"_x", "x"},
	} {
		if got := familyName(tt.expr); got != tt.want {
			t.Errorf("%q: %q", tt.expr, got)
		}
	}
}

func TestBaseUnit(t *testing.T) {
	for _, tt := range []struct {
		units, want string
		factor      float64
	}{
		{"byte", "bytes", 1}, {"Kbyte", "bytes", 1024}, {"Mbyte", "bytes", 1 << 20}, {"sec", "seconds", 1}, {"millisec", "seconds", 0.001}, {"hour", "seconds", 3600},
		{"Kbyte / sec", "bytes_per_second", 1024}, {"byte / min", "bytes_per_second", 1.0 / 60}, {"count", "", 1}, {"count / sec", "", 1}, {"", "", 1},
		{"byte / count", "", 1}, {"sec^2", "", 1},
	} {
		u, _, err := pcp.ParseUnits(tt.units)
		if got, f := baseUnit(u); err != nil || got != tt.want || f != tt.factor {
			t.Errorf("%q: %q %v, %v", tt.units, got, f, err)
		}
	}
}

func TestOpenMetricsFamily(t *testing.T) {
	kbyte := pcp.Units{DimSpace: 1, ScaleSpace: pcp.Kbyte}
	for _, tt := range []struct {
		name string
		desc pcp.Desc
		want Family
	}{
		{"disk.all.total", pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter}, Family{"disk_all", "counter", "_total", "", 1, 1}},
		{"mem.free", pcp.Desc{Type: pcp.Uint64, Sem: pcp.Instant, Units: kbyte}, Family{"mem_free_bytes", "gauge", "", "bytes", 1024, 1}},
		{"disk.read_bytes", pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter, Units: kbyte}, Family{"disk_read_bytes", "counter", "_total", "bytes", 1024, 1}},
		{"os.name", pcp.Desc{Type: pcp.String, Sem: pcp.Counter}, Family{"os_name", "info", "_info", "", 1, 1}},
	} {
		if got := OpenMetricsFamily(tt.name, &tt.desc); got != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// TestScale: values in the base unit are the doubles that their decimals stand for.
func TestScale(t *testing.T) {
	for _, tt := range []struct {
		units       string
		value, want float64
	}{
		{"millisec", 515863861, 515863.861}, {"microsec", 1, 0.000001}, {"nanosec", 123456789, 0.123456789}, {"hour", 2, 7200}, {"Kbyte", 3, 3072},
		{"byte / min", 90, 1.5}, {"Kbyte / min", 1, 1024.0 / 60}, {"Kbyte / hour", 7, 7.0 * 1024 / 3600}, {"byte / millisec", 7, 7000}, {"count", 7, 7},
	} {
		u, _, err := pcp.ParseUnits(tt.units)
		f := OpenMetricsFamily("x", &pcp.Desc{Type: pcp.Uint64, Units: u})
		if got := f.Scale(tt.value); err != nil || got != tt.want {
			t.Errorf("%v %s: %v, want %v; %v", tt.value, tt.units, got, tt.want, err)
		}
	}
}

// TestFamilies: neither families nor samples of two have the same name.
func TestFamilies(t *testing.T) {
	gauge, counter, text := pcp.Desc{Type: pcp.Double}, pcp.Desc{Type: pcp.Uint64, Sem: pcp.Counter}, pcp.Desc{Type: pcp.String}
	var fs Families
	for _, tt := range []struct {
		name string
		desc pcp.Desc
		want string
	}{
		{"q", counter, "q_total"}, {"q.total", gauge, "q_total_"}, {"q.total", counter, "q__total"}, {"q", gauge, "q__"}, {"a.b", gauge, "a_b"}, {"a_b", gauge, "a_b_"},
		{"g.info", gauge, "g_info"}, {"g", text, "g__info"}, {"g", gauge, "g"}, {"n.total", gauge, "n_total"}, {"n", counter, "n__total"},
	} {
		if f := fs.Family(tt.name, &tt.desc); f.Name+f.Suffix != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, f.Name+f.Suffix, tt.want)
		}
	}
}

// TestDoubles: a message names ten series at most.
func TestDoubles(t *testing.T) {
	var d Doubles
	if err := d.Err(); err != nil {
		t.Error(err)
	}
	for i := range 12 {
		d.Add("m", "i\xff\x1b"[:i%3], "")
	}
	if got, want := d.Err().Error(), `left out, as other series have the same name and labels: m, m["i"], m["i\xff"], m, m["i"], m["i\xff"], m, m["i"], m["i\xff"], m, and 2 more`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
