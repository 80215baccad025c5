package option

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"pmtools/lib/pmerr"
)

const maxFolio = 16 << 20 // bytes that are read of an archive folio

// addFolio handles PCP_FOLIO. Its errors are not errors of usage.
func (p *Parser) addFolio(name string) error {
	archives, err := p.Folio(name)
	for _, base := range archives {
		if err := p.Options.AddArchive(base); err != nil {
			return err
		}
	}
	return err
}

// Folio returns the archives that the folio of a name lists, relative to its own directory.
// An error is a *[RuntimeError]; the archives before it are returned too.
func (p *Parser) Folio(name string) (archives []string, err error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, &RuntimeError{fmt.Sprintf("cannot open archive folio %s: %v", name, pmerr.Of(err))}
	}
	defer f.Close()
	archives, err = readFolio(io.LimitReader(f, maxFolio), name)
	dir := "." // directory of the folio, without cleaning the path
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir = name[:i]
	}
	for i, base := range archives {
		if !path.IsAbs(base) {
			archives[i] = dir + "/" + base
		}
	}
	return archives, err
}

func readFolio(r io.Reader, name string) (bases []string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxFolio)
	if err := folioHeader(lines, name); err != nil {
		return nil, err
	}
	for number := 3; lines.Scan(); number++ {
		rest, ok := strings.CutPrefix(lines.Text(), "Archive:")
		if !ok {
			continue
		}
		// Any one character separates the host name, which is not used.
		if rest != "" {
			rest = rest[1:]
		}
		words := strings.Fields(rest)
		switch len(words) {
		case 0:
			return bases, &RuntimeError{fmt.Sprintf("missing host on archive folio line %d", number)}
		case 1:
			return bases, &RuntimeError{fmt.Sprintf("missing path on archive folio line %d", number)}
		}
		bases = append(bases, words[1])
	}
	return bases, nil
}

func folioHeader(lines *bufio.Scanner, name string) error {
	switch {
	case !lines.Scan():
		return &RuntimeError{fmt.Sprintf("archive folio %s has no header", name)}
	case !strings.HasPrefix(lines.Text(), "PCPFolio"):
		return &RuntimeError{fmt.Sprintf("archive folio %s has bad magic", name)}
	case !lines.Scan():
		return &RuntimeError{fmt.Sprintf("archive folio %s has no version", name)}
	case !strings.HasPrefix(lines.Text(), "Version: 1"):
		return &RuntimeError{fmt.Sprintf("unknown version archive folio %s", name)}
	}
	return nil
}
