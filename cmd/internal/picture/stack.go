package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
)

// stack returns the picture of drawn panels one below the other.
func stack(form string, panels [][]byte) ([]byte, error) {
	switch {
	case len(panels) == 1:
		return panels[0], nil
	case form == ".svg":
		return stackSVG(panels), nil
	}
	return stackPNG(panels)
}

// stackSVG puts pictures into one, each at its place.
func stackSVG(panels [][]byte) []byte {
	all := fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", pictureWidth, panelHeight*len(panels))
	for i, p := range panels {
		all = append(all, bytes.Replace(p, []byte("<svg "), fmt.Appendf(nil, "<svg y=\"%d\" ", panelHeight*i), 1)...)
		all = append(all, '\n')
	}
	return append(all, "</svg>\n"...)
}

func stackPNG(panels [][]byte) ([]byte, error) {
	all := image.NewRGBA(image.Rect(0, 0, pictureWidth, panelHeight*len(panels)))
	for i, p := range panels {
		img, err := png.Decode(bytes.NewReader(p))
		if err != nil {
			return nil, err
		}
		draw.Draw(all, image.Rect(0, panelHeight*i, pictureWidth, panelHeight*(i+1)), img, image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	err := png.Encode(&b, all)
	return b.Bytes(), err
}
