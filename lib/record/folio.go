package record

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// A folio is a session's files in a directory: the list of archives, and the archives, named after the
// session's base name (values.md V24.2).
type folio struct {
	name    string
	dir     string
	base    string   // six characters that no other session in the directory has
	created []string // paths, in case that the session cannot start
}

// newFolio creates an empty list, and the file of the base name with the configuration to replay the session.
func newFolio(cfg *Config) (*folio, error) {
	if err := printable("folio", cfg.Folio); err != nil {
		return nil, err
	}
	if err := printable("creator", cfg.Creator); err != nil {
		return nil, err
	}
	f := &folio{name: cfg.Folio, dir: filepath.Dir(cfg.Folio)}
	if err := f.create(cfg.Folio, ""); err != nil {
		return nil, err
	}
	for range 100 {
		f.base = rand.Text()[:6]
		err := f.create(f.path(f.base), cfg.Replay)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return f, fmt.Errorf("record: no free name in %s: %w", f.dir, fs.ErrExist)
}

// printable rejects characters that would break a line of the folio, or of pmlogger's protocol.
func printable(what, text string) error {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("record: %s %q: %w", what, text, pmerr.EINVAL)
	}
	return nil
}

func (f *folio) path(name string) string { return filepath.Join(f.dir, name) }

func (f *folio) create(path, text string) error {
	err := safefile.Create(path, []byte(text))
	if err == nil {
		f.created = append(f.created, path)
	}
	return err
}

// discard removes the created files. Errors are ignored: the caller reports another one.
func (f *folio) discard() {
	for _, path := range f.created {
		_ = safefile.RemoveFile(path)
	}
}

// addHost creates the configuration of a host's logger and returns the base name of its archive, in which a
// letter distinguishes hosts of one name.
func (f *folio) addHost(h *Host) (name string, err error) {
	host := fileName(h.Name)
	for _, letter := range append([]string{""}, strings.Split("abcdefghijklmnopqrstuvwxyz", "")...) {
		name = f.base + letter + "." + host
		if err = f.create(f.path(name+".config"), h.config()); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

// fileName returns a host specification, without secrets, as part of a file name. Characters with a meaning
// there, or in a folio, become underscores.
func fileName(host string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 || strings.ContainsRune("-_.", r) || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, pmcd.Redact(host))
}

// write writes the list of archives, the default host's first.
func (f *folio) write(cfg *Config, created string, hosts []Host, names []string) error {
	self, err := os.Hostname()
	if err != nil {
		self = "localhost"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "PCPFolio\nVersion: 1\n# use pmafm(1) to process this PCP Archive Folio\n#\nCreated: on %s at %s\nCreator: %s", self, created, cfg.Creator)
	if cfg.Replay != "" {
		b.WriteString(" " + f.base)
	}
	b.WriteString("\n#               Host                    Basename\n#\n")
	for _, first := range []bool{true, false} {
		for i, h := range hosts {
			if h.Default == first {
				fmt.Fprintf(&b, "%-15s %-23s %s\n", "Archive:", pmcd.Redact(h.Name), names[i])
			}
		}
	}
	return safefile.Replace(f.name, []byte(b.String()))
}
