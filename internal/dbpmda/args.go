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

// errSyntax is the message for a token that has no place where it stands.
const errSyntax = "syntax error"

func (l *line) want(kinds ...kind) (token, error) {
	t, err := l.next()
	if err == nil && !slices.Contains(kinds, t.kind) {
		err = &syntaxError{errSyntax, t.read}
		if t.kind == text && t.text == "" { // to the reference no text is empty
			err = &syntaxError{"Illegal character", t.read}
		}
	}
	return t, err
}

func (l *line) oneOf(words ...string) (string, error) {
	t, err := l.want(word)
	if err == nil && !slices.Contains(words, t.text) {
		err = &syntaxError{errSyntax, t.read}
	}
	return t.text, err
}

func (l *line) end() error {
	_, err := l.want(end)
	return err
}

// fields returns the right-aligned numbers of an identifier, cut off as in the reference.
func (t token) fields() (a, b, c uint32) {
	var n [3]uint32
	parts := strings.Split(t.text, ".")
	for i, p := range parts {
		v, _ := strconv.ParseUint(p, 10, 64)
		n[3-len(parts)+i] = uint32(v)
	}
	return n[0], n[1], n[2]
}

func (l *line) inDom() (pcp.InDom, error) {
	t, err := l.want(number, two)
	_, domain, serial := t.fields()
	if t.kind == number {
		return pcp.InDom(serial), err
	}
	return pcp.NewInDom(domain, serial), err
}

// metric takes a metric: a name of the name space, or numbers.
func (s *Session) metric(l *line) (pcp.ID, error) {
	t, err := l.want(word, number, two, three)
	if err != nil {
		return 0, err
	}
	if t.kind == word {
		return s.lookup(t)
	}
	a, b, c := t.fields()
	id := pcp.NewID(a, b, c)
	if t.kind == number {
		id = pcp.ID(c)
	}
	if names, err := s.names.Names(id); err != nil || len(names) == 0 {
		fmt.Fprintf(s.Err, "Warning: PMID (%s) is not defined in the PMNS\n", id)
	}
	return id, nil
}

// lookup returns the metric of a name. Only the agent knows names below a dynamic root.
func (s *Session) lookup(t token) (pcp.ID, error) {
	id, err := s.names.Lookup(t.text)
	if err == nil && pmda.IsRootID(id) {
		if s.agent == nil {
			return 0, &syntaxError{pmerr.Name.Error(), t.read}
		}
		id, err = s.agent.LookupName(s.ctx, client, t.text)
	}
	if err != nil {
		return 0, &syntaxError{pmerr.Of(err).Error(), t.read}
	}
	return id, nil
}

// metrics takes one metric or more, to the end of the line.
func (s *Session) metrics(l *line) (ids []pcp.ID, err error) {
	for {
		if t, err := l.peek(); err == nil && len(ids) > 0 {
			if t.kind == end {
				return ids, nil
			}
			if t.kind == comma {
				_, _ = l.next()
			}
		}
		id, err := s.metric(l)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
}

// attrNames are the attributes of clients, by their numbers less 1.
var attrNames = [...]string{
	"protocol", "secure", "compress", "userauth", "username", "authname", "password", "method", "realm", "unixsock",
	"userid", "groupid", "local", "processid", "container", "exclusive",
}

// attrAliases are other names of attributes. Those that lead to "" are not known by name.
var attrAliases = map[string]string{
	"user": "username", "pass": "password", "authmeth": "method", "unix": "unixsock", "uid": "userid", "gid": "groupid", "pid": "processid",
	"authorise": "userauth", "authorize": "userauth", "protocol": "", "authname": "",
}

func (l *line) attr() (pdu.AttrCode, error) {
	t, err := l.want(text, number)
	if err != nil {
		return 0, err
	}
	name := t.text
	if other, ok := attrAliases[name]; ok {
		name = other
	}
	n := slices.Index(attrNames[:], name) + 1
	if t.kind == number {
		n, _ = strconv.Atoi(t.text)
	}
	if n < 1 || n > len(attrNames) {
		return 0, &syntaxError{fmt.Sprintf("Attribute (%s) is not recognised", t.text), t.read}
	}
	return pdu.AttrCode(n), nil
}
