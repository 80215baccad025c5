package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
)

// bits are the units of bits, in powers of 1000, that values of bytes can be converted to, beside those of PCP.
var bits = []string{"bit", "kbit", "Mbit", "Gbit", "Tbit"}

// Bits returns the units of bits that ParseUnits takes.
func Bits() []string { return slices.Clone(bits) }

// A conversion is the units of Selection.Units, which PCP has or not.
type conversion struct {
	units  string // of PCP: to these values are converted first
	factor string // then they are multiplied by it; "" for 1
	label  string // the name of the units that they have then; "" for those of PCP
}

// ParseUnits checks units for Selection.Units: those of PCP, such as Mbyte/s, and bits, such as Mbit/s.
func ParseUnits(text string) error {
	_, err := parseUnits(text)
	return err
}

func parseUnits(text string) (c conversion, err error) {
	c.units = text
	word, rest, _ := strings.Cut(text, "/")
	factor := "* 8"
	for _, unit := range bits {
		if name := strings.TrimSuffix(strings.TrimSpace(word), "s"); strings.EqualFold(name, unit) {
			c = conversion{"byte", factor, unit}
			if rest = strings.TrimSpace(rest); rest != "" {
				c.units, c.label = c.units+"/"+rest, unit+"/"+rest
			}
			break
		}
		factor += " / 1000"
	}
	if _, _, err = pcp.ParseUnits(c.units); err != nil {
		return c, fmt.Errorf("%q are no units, such as Mbyte/s, Mbit/s, ms or count/s: %w", text, err)
	}
	return c, nil
}

// apply returns an expression converted to the units, or itself if it has another dimension.
func (c *conversion) apply(ctx context.Context, b *Binder, text string) string {
	for _, inner := range []string{text, "rate(" + text + ")"} {
		with := "rescale(" + inner + `, "` + c.units + `")`
		if _, err := b.Compile(ctx, with); err == nil {
			return strings.TrimRight(with+" "+c.factor, " ")
		}
	}
	return text
}
