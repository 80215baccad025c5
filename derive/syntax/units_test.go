package syntax

import (
	"errors"
	"strings"
)

// testConfig knows a few bad units and patterns, with the texts of the reference.
var testConfig = &Config{
	CheckUnits: func(units string) error {
		for _, bad := range []string{"furlong", "none", "voltage", "temperature"} {
			if strings.HasPrefix(units, bad) {
				return errors.New("unrecognized or duplicate base unit")
			}
		}
		return nil
	},
	CheckPattern: func(pattern string) error {
		switch pattern {
		case "fo(o":
			return errors.New(`Unmatched ( or \(`)
		case "[":
			return errors.New("Invalid regular expression")
		case "*":
			return errors.New("Invalid preceding regular expression")
		}
		return nil
	},
}
