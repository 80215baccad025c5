package pmcd

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/internal/hostattr"
	"pmtools/lib/pmerr"
)

// Attributes that have an effect on a connection, under their full names.
const (
	attrSecure    = "secure"    // with pcps: only: "enforce" (as absent or "1") or "relaxed"
	attrCompress  = "compress"  // always refused
	attrUserAuth  = "userauth"  // authenticate, even without a user name
	attrUserName  = "username"  // name of the user who authenticates
	attrPassword  = "password"  // password of that user
	attrMethod    = "method"    // the mechanism, instead of the best one
	attrRealm     = "realm"     // realm of the user name
	attrContainer = "container" // name of the container whose metrics are wanted
)

// An Attr is an attribute of a host specification.
type Attr struct {
	Key   string // the full name
	Value string
	Set   bool // the attribute has a value, perhaps an empty one
}

// Attr returns the attribute with the full name key, and whether there is one.
func (s *Spec) Attr(key string) (Attr, bool) {
	for _, a := range s.Attrs {
		if a.Key == key {
			return a, true
		}
	}
	return Attr{}, false
}

// attrs reads the attributes. It ignores unknown keys; the last value of a key counts.
func (p *specParser) attrs() error {
	for {
		start := p.pos
		text := p.until("&/")
		if err := p.attr(text, start); err != nil {
			return err
		}
		if p.next() != '&' {
			break
		}
		p.pos++
	}
	slices.SortFunc(p.spec.Attrs, func(a, b Attr) int { return cmp.Compare(a.Key, b.Key) })
	return nil
}

// attr reads one attribute, which begins at start. Its key ends at the last "=".
func (p *specParser) attr(text string, start int) error {
	var a Attr
	name := text
	if i := strings.LastIndexByte(text, '='); i >= 0 {
		name, a.Value, a.Set = text[:i], text[i+1:], true
	}
	if a.Key = hostattr.Full(name); a.Key == "" {
		return nil
	}
	var bad int
	var err error
	if a.Value, bad, err = decodeForm(a.Value); err != nil {
		return specError(p.text, start+len(name)+1+bad, err.Error(), pmerr.EINVAL)
	}
	p.spec.Attrs = slices.DeleteFunc(p.spec.Attrs, func(b Attr) bool { return a.Key == b.Key })
	p.spec.Attrs = append(p.spec.Attrs, a)
	return nil
}

// errEscape: a zero byte is an error too, because pmcd would end the value there, or take it for a separator.
var errEscape = errors.New("bad escape in attribute value")

// decodeForm decodes "+" as a blank and %HH as a byte. Beside an error, bad is the offset of the escape.
func decodeForm(s string) (text string, bad int, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			b.WriteByte(' ')
		case '%':
			var c uint64
			if i+2 < len(s) {
				c, _ = strconv.ParseUint(s[i+1:i+3], 16, 8) // 0 beside an error
			}
			if c == 0 {
				return "", i, errEscape
			}
			b.WriteByte(byte(c))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), 0, nil
}

func (a Attr) write(b *strings.Builder) {
	b.WriteString(a.Key)
	if !a.Set {
		return
	}
	b.WriteByte('=')
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(a.Value) {
		switch {
		case c == ' ':
			b.WriteByte('+')
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
}
