package source

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/internal/suggest"
	"pmtools/lib/option"
	"pmtools/lib/pmerr"
)

// advice returns what can be done where a source cannot be opened.
func (o *Opener) advice(kind option.SourceKind, name string, err error) []string {
	var dns *net.DNSError
	switch {
	case kind == option.Archive && pmerr.Of(err) == pmerr.ENOENT:
		return archiveAdvice(name)
	case noDaemon(err) && (kind == option.DefaultHost || name == "localhost"):
		return []string{
			fmt.Sprintf("-L asks the collectors inside %s, -a ARCHIVE reads a recording, -h HOST asks another host", o.env.Prog),
			o.startAdvice(),
		}
	case kind == option.Host && errors.As(err, &dns):
		return []string{"the name cannot be resolved to an address"}
	case kind == option.Host && noDaemon(err):
		return []string{"no pmcd listens there: it does on port 44321, or on those that -h HOST:PORT names"}
	}
	return nil
}

// startAdvice tells how pmcd is started.
func (o *Opener) startAdvice() string {
	if dir, ok := o.env.Config().Lookup("PCP_RC_DIR"); ok && dir != "" {
		return fmt.Sprintf("'systemctl start pmcd' or '%s/pmcd start' starts pmcd", dir)
	}
	return "'systemctl start pmcd' starts pmcd"
}

// IsArchive reports whether a name is that of an archive.
func IsArchive(name string) bool {
	found, _ := filepath.Glob(name + ".meta*") // a name that is a pattern is not one
	return len(found) > 0
}

// maxArchives is how many archives are named.
const maxArchives = 3

// archiveAdvice names the archives in the directory of one that is not there.
func archiveAdvice(list string) []string {
	first, _, _ := strings.Cut(list, ",")
	if _, err := os.Stat(first); err == nil {
		return []string{first + " is there, but not an archive, which is NAME.meta, NAME.index and NAME.0, or a directory with these"}
	}
	dir := filepath.Dir(first)
	found, _ := fs.Glob(os.DirFS(dir), "*.meta*") // without a directory there are none
	var names []string
	for _, f := range found {
		base, _, _ := strings.Cut(f, ".meta")
		if path := filepath.Join(dir, base); !slices.Contains(names, path) {
			names = append(names, path)
		}
	}
	switch near := suggest.Names(filepath.Clean(first), names); {
	case len(near) > 0:
		return []string{"did you mean " + strings.Join(near, " or ") + "?"}
	case len(names) > maxArchives:
		return []string{fmt.Sprintf("there are %d archives in %s, such as %s", len(names), dir, strings.Join(names[:maxArchives], ", "))}
	case len(names) > 0:
		return []string{"archives in " + dir + ": " + strings.Join(names, ", ")}
	}
	return nil
}
