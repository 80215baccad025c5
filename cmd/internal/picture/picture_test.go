package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/samples"
	_ "pmtools/test/env"
)

// TestPicture draws files and reads them.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	zone := time.FixedZone("EST", -5*3600)
	p := &samples.Picture{Title: "sizes <all>"}
	for i := range 5 {
		p.Times = append(p.Times, time.Unix(1700000000+int64(i)*60, 0).In(zone))
	}
	p.Lines = []*samples.Line{
		{Name: "a & b", Units: "Kbyte / sec", Points: []float64{1, 2, math.NaN(), 4, 3}}, {Name: strings.Repeat("long ", 20), Points: []float64{1e9, 5, 6, 7, math.NaN()}},
		{Name: "alone", Points: []float64{math.NaN(), 5, math.NaN(), math.NaN(), math.NaN()}},
	}
	svg, raster := filepath.Join(dir, "x.svg"), filepath.Join(dir, "x.png")
	for _, name := range []string{svg, raster} {
		if err := Draw(name, p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sizes &lt;all&gt;", "a &amp; b", "Kbyte / sec", "17:14:00", "<svg y=\"280\"", "stroke-dasharray"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%q is not in the picture", want)
		}
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
	}
	f, err := os.Open(raster)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.Decode(f); err != nil || img.Bounds().Size() != image.Pt(pictureWidth, 2*panelHeight) {
		t.Errorf("the PNG: %v", err)
	}
	// All values the same, a single time, and none at all.
	p.Lines = []*samples.Line{{Name: "flat", Points: []float64{7, 7, 7, 7, 7}}}
	if err := Draw(svg, p); err != nil {
		t.Error(err)
	}
	p.Times, p.Lines[0].Points = p.Times[:1], []float64{7}
	if err := Draw(svg, p); err != nil {
		t.Error(err)
	}
	if err := Draw(svg, &samples.Picture{}); err == nil {
		t.Error("a picture of nothing")
	}
	p.Lines[0].Points = []float64{1e300}
	if err := Draw(svg, p); err != nil {
		t.Error(err)
	}
}

// TestValueTicks: the marks are round, enclose all values, and are few.
func TestValueTicks(t *testing.T) {
	for _, tt := range []struct {
		points []float64
		want   string
	}{
		{[]float64{4.8, 152.5}, "0 50 100 150 200"},
		{[]float64{0.5, 2.25}, "0.5 1 1.5 2 2.5"},
		{[]float64{-3, 11, math.NaN()}, "-5 0 5 10 15"},
		{[]float64{7, 7}, "6 6.5 7 7.5 8"},
		{[]float64{0}, "-1 -0.5 0 0.5 1"},
		{[]float64{1e9, 1.3e9}, "1000000000 1050000000 1100000000 1150000000 1200000000 1250000000 1300000000"},
		{[]float64{0, 0.1, 0.6}, "0 0.1 0.2 0.3 0.4 0.5 0.6"},
	} {
		var got []string
		for _, tick := range valueTicks(&samples.Picture{Lines: []*samples.Line{{Points: tt.points}}}) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%v: got %v, want %s", tt.points, got, tt.want)
		}
	}
	for _, points := range [][]float64{{-math.MaxFloat64, math.MaxFloat64}, {1e300, 1.1e300}, {5e-324, 1e-323}} {
		if n := len(valueTicks(&samples.Picture{Lines: []*samples.Line{{Points: points}}})); n < 2 || n > 2*maxValueTicks+1 {
			t.Errorf("%v: %d marks", points, n)
		}
	}
}
