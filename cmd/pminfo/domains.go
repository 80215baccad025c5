package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/config"
)

// knownDomains returns a function that reports whether a domain number is assigned: defined in the
// file stdpmid in the directory of the name space. Without it no domain counts as unknown and it returns
// nil, with the reference's message if PCP is installed.
func knownDomains(config *config.Config, env *cli.Env) func(domain uint32) bool {
	name := config.Get("PCP_VAR_DIR") + "/pmns/stdpmid"
	f, err := env.Open(name)
	if err != nil {
		if _, installed := config.Lookup("PCP_VAR_DIR"); installed {
			fmt.Fprintf(env.Stderr, "__pmCheckDesc: fopen(\"%s\", ...) failed: domain checks skipped\n", name)
		}
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
