//go:build !linux

package procfs

import "os"

func open(path string) (*os.File, error) { return os.Open(path) }

// namesIn returns the names in a directory, most of them at the most.
func namesIn(path string, _ int) ([]string, error) { return readDir(path, (*os.File).Readdirnames) }

func sizeOf(string) int { return 0 }
