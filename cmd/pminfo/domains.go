package main

import (
	"bufio"
	"path/filepath"
	"strconv"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/config"
)

// knownDomains returns a function that tells whether a domain number is assigned:
// defined in the file stdpmid beside the name space. Where PCP is not installed,
// nothing is known of domains, and none is called unknown: the result is nil.
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
		// 0 is there too, as the one that may not be used.
		if n, err := strconv.ParseUint(words[2], 10, 9); err == nil && n != 0 {
			known[uint32(n)] = true
		}
	}
	return func(domain uint32) bool { return known[domain] }
}
