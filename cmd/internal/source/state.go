package source

import "path/filepath"

// StateFile returns the name of a file of ours in a directory of the user's: one that a variable names, or
// else one below the home directory. It is "" if there is neither.
func StateFile(lookup func(string) (string, bool), variable, below, name string) string {
	if dir, _ := lookup(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pmderive", name)
	}
	for _, home := range []string{"HOME", "USERPROFILE"} {
		if dir, _ := lookup(home); dir != "" {
			return filepath.Join(dir, below, "pmderive", name)
		}
	}
	return ""
}
