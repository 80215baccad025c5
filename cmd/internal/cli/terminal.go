package cli

import (
	"os"

	"golang.org/x/term"
)

// Terminal returns the width and the height of the terminal that standard output
// goes to; ok is false if it goes elsewhere.
func (env *Env) Terminal() (width, height int, ok bool) {
	f, isFile := env.Stdout.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24, true
	}
	return width, height, true
}
