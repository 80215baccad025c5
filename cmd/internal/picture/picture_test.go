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

	"pmtools/cmd/internal/chart"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// TestPicture draws files and reads them.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	zone := time.FixedZone("EST", -5*3600)
	p := &chart.Chart{Title: "sizes <all>", Form: format.NumberForm{Precision: format.Readable, Scale: true}}
	for i := range 5 {
		p.Times = append(p.Times, time.Unix(1700000000+int64(i)*60, 0).In(zone))
	}
	p.Lines = []*chart.Line{
		{Name: "a & b", Unit: chart.Unit{Units: pcp.Units{DimSpace: 1, DimTime: -1, ScaleSpace: pcp.Kbyte, ScaleTime: pcp.Sec}}, Points: []float64{1, 2, math.NaN(), 4, 3}}, {Name: strings.Repeat("long ", 20), Points: []float64{1e9, 5, 6, 7, math.NaN()}},
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
	for _, want := range []string{"sizes &lt;all&gt;", "a &amp; b  3 Kbyte/s", ">17:14<", " … long long long long long   7<", "stroke-dasharray"} {
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
	if img, err := png.Decode(f); err != nil || img.Bounds().Size() != image.Pt(pictureWidth, 529) {
		t.Errorf("the PNG: %v, %v", img.Bounds(), err)
	}
	// All values the same, a single time, and none at all.
	p.Lines = []*chart.Line{{Name: "flat", Points: []float64{7, 7, 7, 7, 7}}}
	if err := Draw(svg, p); err != nil {
		t.Error(err)
	}
	p.Times, p.Lines[0].Points = p.Times[:1], []float64{7}
	if err := Draw(svg, p); err != nil {
		t.Error(err)
	}
	if err := Draw(svg, &chart.Chart{}); err == nil {
		t.Error("a picture of nothing")
	}
	p.Lines[0].Points = []float64{1e300}
	if err := Draw(svg, p); err != nil {
		t.Error(err)
	}
}
