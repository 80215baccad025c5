package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
)

// stack writes drawn panels one below the other.
func stack(w io.Writer, form string, panels [][]byte) error {
	switch {
	case len(panels) == 1:
		_, err := w.Write(panels[0])
		return err
	case form == ".svg":
		return stackSVG(w, panels)
	}
	return stackPNG(w, panels)
}

// stackSVG puts pictures into one, each at its place.
func stackSVG(w io.Writer, panels [][]byte) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", pictureWidth, panelHeight*len(panels))
	for i, p := range panels {
		b.Write(bytes.Replace(p, []byte("<svg "), fmt.Appendf(nil, "<svg y=\"%d\" ", panelHeight*i), 1))
		b.WriteByte('\n')
	}
	b.WriteString("</svg>\n")
	_, err := b.WriteTo(w)
	return err
}

func stackPNG(w io.Writer, panels [][]byte) error {
	all := image.NewRGBA(image.Rect(0, 0, pictureWidth, panelHeight*len(panels)))
	for i, p := range panels {
		img, err := png.Decode(bytes.NewReader(p))
		if err != nil {
			return err
		}
		draw.Draw(all, image.Rect(0, panelHeight*i, pictureWidth, panelHeight*(i+1)), img, image.Point{}, draw.Src)
	}
	return png.Encode(w, all)
}
