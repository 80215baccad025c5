package dbpmda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// A mistake is an error in a line of the script.
type mistake string

// Error implements error.
func (m mistake) Error() string { return string(m) }

// errSyntax is the mistake of a word that the command does not take.
const errSyntax mistake = "syntax error"

type word struct {
	text   string
	quoted bool
}

// split returns the words of a line. Text in quotes is one word; a number sign begins a comment.
func split(line string) (words []word, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			return words, nil
		}
		if quote := line[:1]; quote == `"` || quote == "'" {
			text, rest, ok := strings.Cut(line[1:], quote)
			if !ok {
				return nil, mistake("Expected " + quote)
			}
			words, line = append(words, word{text, true}), rest
			continue
		}
		n := strings.IndexAny(line, " \t\r\n#")
		if n < 0 {
			n = len(line)
		}
		words, line = append(words, word{text: line[:n]}), line[n:]
	}
}

// numbers returns the numbers of an identifier, which are divided by dots, or false for other words.
func (w word) numbers() ([]uint32, bool) {
	var list []uint32
	for part := range strings.SplitSeq(w.text, ".") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || w.quoted {
			return nil, false
		}
		list = append(list, uint32(n))
	}
	return list, true
}

// number returns a word that is one number.
func (w word) number() (uint32, error) {
	if list, ok := w.numbers(); ok && len(list) == 1 {
		return list[0], nil
	}
	return 0, errSyntax
}

func (w word) inDom() (pcp.InDom, error) {
	list, _ := w.numbers()
	switch len(list) {
	case 1:
		return pcp.InDom(list[0]), nil
	case 2:
		return pcp.NewInDom(list[0], list[1]), nil
	}
	return 0, errSyntax
}

// metric returns the metric of a word: a name of the name space, or numbers.
func (s *Session) metric(w word) (pcp.ID, error) {
	list, isID := w.numbers()
	if !isID {
		return s.lookup(w)
	}
	var id pcp.ID
	switch len(list) {
	case 1:
		id = pcp.ID(list[0])
	case 2:
		id = pcp.NewID(0, list[0], list[1])
	case 3:
		id = pcp.NewID(list[0], list[1], list[2])
	default:
		return 0, errSyntax
	}
	if names, err := s.names.Names(id); err != nil || len(names) == 0 {
		fmt.Fprintf(s.Err, "Warning: PMID (%s) is not defined in the PMNS\n", id)
	}
	return id, nil
}

// lookup returns the metric of a name. Only the agent knows names below a dynamic root.
func (s *Session) lookup(w word) (pcp.ID, error) {
	if w.quoted {
		return 0, errSyntax
	}
	id, err := s.names.Lookup(w.text)
	if err == nil && pmda.IsRootID(id) {
		id, err = s.agent.LookupName(s.ctx, client, w.text)
	}
	if err != nil {
		return 0, mistake(pmerr.Of(err).Error())
	}
	return id, nil
}

// attrNames are the attributes of clients, by their numbers less 1.
var attrNames = [...]string{
	"protocol", "secure", "compress", "userauth", "username", "authname", "password", "method", "realm", "unixsock",
	"userid", "groupid", "local", "processid", "container", "exclusive",
}

// attrAliases are other names of attributes.
var attrAliases = map[string]string{
	"user": "username", "pass": "password", "authmeth": "method", "unix": "unixsock", "uid": "userid", "gid": "groupid", "pid": "processid",
}

// attr returns the number of an attribute, whose name stands in quotes.
func (w word) attr() (pdu.AttrCode, error) {
	name := w.text
	if other, ok := attrAliases[name]; ok {
		name = other
	}
	code := slices.Index(attrNames[:], name) + 1
	if !w.quoted {
		n, err := w.number()
		if err != nil {
			return 0, err
		}
		code = int(n)
	}
	if code < 1 || code > len(attrNames) {
		return 0, mistake(fmt.Sprintf("Attribute (%s) is not recognised", w.text))
	}
	return pdu.AttrCode(code), nil
}
