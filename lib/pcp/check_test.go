package pcp

import (
	"strings"
	"testing"
)

func TestDescCheck(t *testing.T) {
	good := Desc{ID: NewID(60, 0, 1), Type: Uint32, InDom: NewInDom(60, 1), Sem: Counter, Units: UnitsOf(0x1f023000)}
	known := func(domain uint32) bool { return domain == 60 || domain == 29 }
	tests := []struct {
		name string
		edit func(d *Desc)
		want []string
	}{
		{"good", func(*Desc) {}, nil},
		{"singular", func(d *Desc) { d.InDom = NullInDom }, nil},
		{"derived", func(d *Desc) { d.ID = NewID(DynamicDomain, 0, 3) }, nil},
		{"unknown domain", func(d *Desc) { d.ID, d.InDom = NewID(300, 0, 1), NullInDom },
			[]string{"Warning: domain (300) in metric pmid (300.0.1) is not recognized"}},
		{"unknown domains", func(d *Desc) { d.ID, d.InDom = NewID(300, 0, 1), NewInDom(300, 5) }, []string{
			"Warning: domain (300) in metric pmid (300.0.1) is not recognized",
			"Warning: domain (300) in metric indom (300.5) is not recognized"}},
		{"other domain", func(d *Desc) { d.InDom = NewInDom(29, 1) },
			[]string{"Warning: domain (60) in metric pmid (60.0.1) different to domain (29) in metric indom (29.1)"}},
		{"dynamic domain of instances", func(d *Desc) { d.InDom = NewInDom(DynamicDomain, 5) },
			[]string{"Warning: domain (60) in metric pmid (60.0.1) different to domain (511) in metric indom (511.5)"}},
		{"not supported", func(d *Desc) { d.Type, d.Sem, d.ID = NoSupport, 9, NewID(300, 0, 1) },
			[]string{"Warning: domain (300) in metric pmid (300.0.1) is not recognized"}},
		{"type", func(d *Desc) { d.Type = 11 }, []string{"Error: metric type (11) is not one of the valid PM_TYPE_* values"}},
		{"negative type", func(d *Desc) { d.Type = -2 }, []string{"Error: metric type (-2) is not one of the valid PM_TYPE_* values"}},
		{"semantics", func(d *Desc) { d.Sem = 2 }, []string{"Error: metric semantics (2) is not one of the valid PM_SEM_* values"}},
		{"dimensions", func(d *Desc) { d.Units = UnitsOf(0x3d700000) }, []string{
			"Warning: unusual dimension (3) for Space in pmUnits",
			"Warning: unusual dimension (-3) for Time in pmUnits",
			"Warning: unusual dimension (7) for Count in pmUnits"}},
		{"usual dimensions", func(d *Desc) { d.Units = UnitsOf(0x2e200000) }, nil},
		{"scales", func(d *Desc) { d.Units = UnitsOf(0x00032f00) }, []string{
			"Error: non-zero scale (3) with zero dimension for Space in pmUnits",
			"Error: non-zero scale (2) with zero dimension for Time in pmUnits",
			"Error: non-zero scale (-1) with zero dimension for Count in pmUnits"}},
		{"scales too large", func(d *Desc) { d.Units = UnitsOf(0x11076000) }, []string{
			"Error: scale (7) for Space in pmUnits is not one of the valid PM_SPACE_* values",
			"Error: scale (6) for Time in pmUnits is not one of the valid PM_SPACE_* values"}},
		{"both of a dimension stand together", func(d *Desc) { d.Units = UnitsOf(0x0010a700); d.Units.DimCount = 0 }, []string{
			"Error: non-zero scale (10) with zero dimension for Time in pmUnits",
			"Error: scale (10) for Time in pmUnits is not one of the valid PM_SPACE_* values",
			"Error: non-zero scale (7) with zero dimension for Count in pmUnits"}},
		{"largest scales", func(d *Desc) { d.Units = UnitsOf(0x11065000) }, nil},
		{"extra", func(d *Desc) { d.Units = UnitsOf(0x24) }, nil},
		{"extra temperature", func(d *Desc) { d.Units = UnitsOf(0x0c) },
			[]string{"Error: extraScale (4) in pmUnits is not one of the valid PM_TEMPERATURE_* values"}},
		{"extra voltage", func(d *Desc) { d.Units = UnitsOf(0x10) },
			[]string{"Error: extraScale (0) in pmUnits is not one of the valid PM_VOLTAGE_* values"}},
		{"extra current", func(d *Desc) { d.Units = UnitsOf(0x1f) },
			[]string{"Error: extraScale (7) in pmUnits is not one of the valid PM_CURRENT_* values"}},
		{"extra power", func(d *Desc) { d.Units = UnitsOf(0x25) },
			[]string{"Error: extraScale (5) in pmUnits is not one of the valid PM_POWER_* values"}},
		{"extra kind", func(d *Desc) { d.Units = UnitsOf(0x29) },
			[]string{"Error: extraUnit (5) in pmUnits is not one of the valid PM_UNIT_* values"}},
		{"extra in the denominator", func(d *Desc) { d.Units = UnitsOf(0xe2) },
			[]string{"Error: extraUnit (-4) in pmUnits is not one of the valid PM_UNIT_* values"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := good
			tt.edit(&d)
			var got []string
			for _, f := range d.Check(known) {
				got = append(got, f.String())
			}
			if g, w := strings.Join(got, "\n"), strings.Join(tt.want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
	if got := (Desc{ID: NewID(300, 0, 1), InDom: NullInDom, Sem: Counter}).Check(nil); len(got) != 0 {
		t.Errorf("without a list of domains: %v", got)
	}
}
