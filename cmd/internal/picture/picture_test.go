package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
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
	p := &samples.Picture{Title: "sizes <all>", Units: "Kbyte / sec"}
	for i := range 5 {
		p.Times = append(p.Times, time.Unix(1700000000+int64(i)*60, 0).In(zone))
	}
	p.Lines = []samples.Line{
		{Name: "a & b", Points: []float64{1, 2, math.NaN(), 4, 3}}, {Name: strings.Repeat("long ", 20), Points: []float64{1e9, 5, 6, 7, math.NaN()}},
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
	for _, want := range []string{"sizes &lt;all&gt;", "a &amp; b", "Kbyte / sec", "17:14:00", "stroke-dasharray"} {
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
	if img, err := png.Decode(f); err != nil || img.Bounds().Dx() != pictureWidth {
		t.Errorf("the PNG: %v", err)
	}
	// All values the same, a single time, and none at all.
	p.Lines = []samples.Line{{Name: "flat", Points: []float64{7, 7, 7, 7, 7}}}
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
