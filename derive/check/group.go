package check

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"strings"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A Grouping puts the instances of a domain into groups: those in which the labels have the same values.
// The groups are the instances of a domain of their own.
type Grouping struct {
	InDom  pcp.InDom // of the groups
	Of     pcp.InDom // of the instances
	Labels []string  // names
}

// newGrouping returns the grouping of a domain by labels. Its number follows from these alone, so that two
// expressions, and two programs, have the same domain for the same groups.
func newGrouping(of pcp.InDom, labels []string) Grouping {
	sum := md5.Sum([]byte(of.String() + " by " + strings.Join(labels, ",")))
	return Grouping{pcp.NewInDom(pcp.DynamicDomain, binary.BigEndian.Uint32(sum[:])&maxSerial), of, labels}
}

// String returns the grouping as in 60.1 by (device).
func (g Grouping) String() string {
	return g.Of.String() + " by (" + strings.Join(g.Labels, ", ") + ")"
}

// Same reports whether two groupings have the same groups.
func (g Grouping) Same(o Grouping) bool { return g.String() == o.String() }

// grouped returns the metadata of a function of the instances of groups, whose metadata without them is one.
func (c *Checker) grouped(n *syntax.CallExpr, of, one Type) (Type, *Error) {
	if of.Singular() {
		return of, c.callError(n, msgNoInstances)
	}
	g := newGrouping(of.InDom, n.By.Names())
	if old, ok := c.info.Groups[g.InDom]; ok && !old.Same(g) || g.InDom == of.InDom {
		err := c.callError(n, msgGroupings)
		err.Notes = []string{fmt.Sprintf("%s and %s have the same number, %s: another order of the labels changes it", old, g, g.InDom)}
		return of, err
	}
	put(&c.info.Groups, g.InDom, g)
	one.InDom = g.InDom
	return one, nil
}

// groupNotes tells which operands have a value for each group, and of what.
func (c *Checker) groupNotes(operands []Operand) (notes []string) {
	for _, o := range operands {
		if g, ok := c.info.Groups[o.Type.InDom]; ok {
			notes = append(notes, fmt.Sprintf("the %s operand has a value for each group of %s: only groups of one domain by the same labels match", o.Role, g))
		}
	}
	return notes
}
