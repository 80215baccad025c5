package main

import (
	"bufio"
	"path/filepath"
	"strconv"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/config"
)

// knownDomains returns a function that reports whether a domain number is assigned: defined in the
// file stdpmid in the directory of the name space. It returns nil if PCP is not installed: no
// domain counts as unknown then.
func knownDomains(config *config.Config, env *cli.Env) func(domain uint32) bool {
	f, err := env.Open(filepath.Join(config.Get("PCP_VAR_DIR"), "pmns", "stdpmid"))
	if err != nil {
		return nil
	}
	defer f.Close()
	known := map[uint32]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 3 || words[0] != "#define" {
			continue
		}
		// The file defines 0 too, which is reserved.
		if n, err := strconv.ParseUint(words[2], 10, 9); err == nil && n != 0 {
			known[uint32(n)] = true
		}
	}
	return func(domain uint32) bool { return known[domain] }
}
