package syntax

import (
	"strconv"
	"strings"
)

// Bounds of the two parts of an instance domain in metadata.
const (
	maxDomain = 510
	maxSerial = 1<<22 - 1
)

func (p *parser) mkconst() Expr {
	n := new(ConstExpr)
	n.FunPos, n.Lparen = p.begin("")
	if p.tok == INTEGER {
		p.turn("metadata keyword expected to follow mkconst(type")
	}
	n.X = p.constant()
	for p.want(COMMA); p.tok == COMMA; {
		p.next()
		n.Specs = append(n.Specs, p.spec())
	}
	p.want(RPAREN)
	if _, ok := n.X.(*FloatLit); ok {
		p.checkFloat(n.Specs)
	}
	n.Rparen = p.end()
	return n
}

func (p *parser) novalue() Expr {
	n := new(NovalueExpr)
	n.FunPos, n.Lparen = p.begin("metadata keyword expected to follow novalue(")
	if p.tok != RPAREN {
		n.Specs = append(n.Specs, p.spec())
		for p.tok == COMMA {
			p.next()
			n.Specs = append(n.Specs, p.spec())
		}
	}
	n.Rparen = p.end()
	return n
}

func (p *parser) spec() *Spec {
	s := &Spec{TagPos: p.pos, Tag: p.tok}
	switch p.tok {
	case TYPE, SEMANTICS, UNITS, INDOM, META:
	default:
		p.refuse()
	}
	p.next()
	p.expect(ASSIGN)
	switch p.tok {
	case NAME:
	case STRING, INTEGER, DOUBLE:
		if s.Tag == META {
			p.refuse()
		}
	default:
		p.refuse()
	}
	s.ValuePos, s.Value, s.Quoted = p.pos, p.lit, p.tok == STRING
	p.checkSpec(s)
	p.next()
	return s
}

func (p *parser) checkSpec(s *Spec) {
	switch s.Tag {
	case TYPE:
		if constType(s.Value) == "" {
			p.fail(p.pos, "Unrecognized value for type '"+s.Value+"'")
		}
	case SEMANTICS:
		switch strings.ToLower(s.Value) {
		case "counter", "instant", "discrete":
		default:
			p.fail(p.pos, "Unrecognized value for semantics '"+s.Value+"'")
		}
	case UNITS:
		p.checkUnits(s.Value)
	case INDOM:
		if _, _, ok := indom(s.Value); !ok && !strings.EqualFold(s.Value, "null") {
			p.fail(p.pos, "Illegal indom: '"+s.Value+"'")
		}
	}
}

func (p *parser) checkFloat(specs []*Spec) {
	typ := "DOUBLE"
	for _, s := range specs {
		if s.Tag == TYPE {
			typ = constType(s.Value)
		}
	}
	if typ != "FLOAT" && typ != "DOUBLE" {
		p.fail(p.pos, "Incompatible floating point constant and type '"+typ+"'")
	}
}

func constType(value string) string {
	switch t := strings.ToUpper(value); t {
	case "32", "U32", "64", "U64", "FLOAT", "DOUBLE":
		return t
	}
	return ""
}

// Indom returns the two parts of the value of an INDOM item: the domain and the serial number. For
// the value null, and for every item that has no such value, ok is false.
func (s *Spec) Indom() (domain, serial uint32, ok bool) {
	if s.Tag != INDOM {
		return 0, 0, false
	}
	return indom(s.Value)
}

func indom(value string) (domain, serial uint32, ok bool) {
	left, right, _ := strings.Cut(value, ".")
	domain, okd := number32(left)
	serial, oks := number32(right)
	return domain, serial, okd && oks && domain <= maxDomain && serial <= maxSerial
}

// number32 reads a number as C's strtoul does, with white space and a sign before it and with too
// large numbers as the largest, and keeps the low 32 bits, as the reference does: 4294967297 is 1,
// and so is -4294967295.
func number32(text string) (uint32, bool) {
	text = strings.TrimLeft(text, blanks)
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if text == "" || skipDigits(text, 0) != len(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if negative && err == nil {
		n = -n
	}
	return uint32(n), true
}
