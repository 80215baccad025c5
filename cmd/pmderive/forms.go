package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// addForms adds the option -o for one of the forms of output, the first by default, and options that mean
// the same as -o with their names.
func addForms(fs *pflag.FlagSet, form *string, forms []string, aliases ...string) {
	fs.StringVarP(form, "output", "o", forms[0], "`FORM` of output: "+strings.Join(forms, ", "))
	for _, name := range aliases {
		fs.BoolFunc(name, "the same as -o "+name, func(string) error { *form = name; return nil })
	}
}

// checkForm checks the form that -o names.
func checkForm(form string, forms []string) error {
	if !slices.Contains(forms, form) {
		return fmt.Errorf("unknown output '%s'; there are %s", form, strings.Join(forms, ", "))
	}
	return nil
}
