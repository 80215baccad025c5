package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// AddOutputs adds the option -o for one of the forms of output, the first by default, and options that mean
// the same as -o with their names.
func AddOutputs(fs *pflag.FlagSet, form *string, forms []string, aliases ...string) {
	fs.StringVarP(form, "output", "o", forms[0], "`FORM` of output: "+strings.Join(forms, ", "))
	for _, name := range aliases {
		fs.BoolFunc(name, "the same as -o "+name, func(string) error { *form = name; return nil })
	}
}

// CheckOutput checks the form that -o names.
func CheckOutput(form string, forms []string) error {
	if !slices.Contains(forms, form) {
		return fmt.Errorf("unknown output '%s'; there are %s", form, strings.Join(forms, ", "))
	}
	return nil
}
