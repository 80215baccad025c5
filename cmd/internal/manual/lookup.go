package manual

import (
	"io"
	"slices"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
)

// Unknown returns the problem that there is no help about a name, and which of some names may be meant.
func Unknown(name string, names []string) *diagnose.Problem {
	return &diagnose.Problem{Msg: "there is no help about " + name, Notes: diagnose.DidYouMean(name, names)}
}

// WriteFunctions writes about one function, or about all of them if there is no name.
func WriteFunctions(w io.Writer, name string) error {
	if name == "" {
		_, err := io.WriteString(w, Functions()+"\n"+Extensions())
		return err
	}
	list := check.Extended.Functions()
	name = strings.TrimSuffix(name, "()")
	i := slices.IndexFunc(list, func(f check.Function) bool { return f.Name == name })
	if i < 0 {
		return &diagnose.Problem{Msg: "there is no function " + name, Notes: diagnose.DidYouMean(name, diagnose.FunctionNames(check.Extended))}
	}
	_, err := io.WriteString(w, Function(list[i]))
	return err
}
