package check

import (
	"errors"
	"testing"

	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// A fuzzEnv makes metrics out of a number: each of a few names is unknown, derived, without
// metadata, or of some type.
type fuzzEnv uint64

func (e fuzzEnv) Lookup(name string) (pcp.ID, bool, error) {
	if len(name) > 2 {
		return pcp.NullID, false, errors.New("no such metric")
	}
	h := uint32(e)
	for _, c := range []byte(name) {
		h = h*31 + uint32(c)
	}
	switch h % 11 {
	case 0:
		return pcp.NullID, false, errors.New("no such metric")
	case 1:
		return pcp.NewID(pcp.DynamicDomain, h, 1), true, nil
	}
	return pcp.NewID(h>>3, h, h>>7), false, nil
}

func (e fuzzEnv) Describe(id pcp.ID) (pcp.Desc, error) {
	h := (uint64(id) + 1) * (uint64(e) | 1)
	if h%13 == 0 {
		return pcp.Desc{}, errors.New("no metadata")
	}
	d := pcp.Desc{ID: id, Type: pcp.Type(h % 11), InDom: pcp.NullInDom, Sem: pcp.Sem(h >> 8 % 5)}
	if h>>12&1 != 0 {
		d.InDom = pcp.InDom(h >> 13 & 3)
	}
	if h>>20&1 != 0 {
		d.Units = pcp.UnitsOf(uint32(h >> 21))
	}
	return d, nil
}

// evaluated calls f for every node that can be evaluated.
func evaluated(e syntax.Expr, in *Info, f func(syntax.Expr)) {
	f(e)
	switch n := e.(type) {
	case *syntax.CallExpr:
		if n.Fun == "defined" || n.Fun == "anon" {
			return
		}
	case *syntax.ConstExpr:
		return
	case *syntax.TernaryExpr:
		switch in.Choices[n] {
		case Left:
			evaluated(n.X, in, f)
			return
		case Right:
			evaluated(n.Y, in, f)
			return
		}
	}
	syntax.Walk(e, func(c syntax.Node) bool {
		if c == syntax.Node(e) {
			return true
		}
		if x, ok := c.(syntax.Expr); ok {
			evaluated(x, in, f)
		}
		return false
	})
}

// FuzzCheck: an expression gets a type for each of its parts, or an error with a text and a place inside it.
func FuzzCheck(f *testing.F) {
	for i, c := range allCases(f) {
		f.Add(c.expr, uint64(i)*0x9e3779b97f4a7c15, c.opt.NoValue)
	}
	for i, s := range []string{"a+b*c", "rate(a)/delta(b)", "a?b:c", "defined(a)||b?c:novalue(meta=d)", "!a[x]&&avg(b)>c", "a"} {
		f.Add(s, uint64(i), false)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, noValue bool) {
		e, err := Syntax().Parse(text)
		if err != nil {
			return
		}
		info, err := Check(e, fuzzEnv(seed), &Options{NoValue: noValue})
		var bad *Error
		switch {
		case errors.As(err, &bad):
			if bad.What == "" || bad.Text == "" {
				t.Errorf("bad error %+v", bad)
			} else if bad.Pos < 0 || int(bad.Pos) >= len(text) {
				t.Errorf("bad error %+v", bad)
			}
			return
		case err != nil:
			t.Fatalf("strange error %v", err)
		}
		evaluated(e, info, func(x syntax.Expr) {
			if _, ok := info.Types[x]; !ok {
				t.Errorf("%s has no type", syntax.Print(x))
			}
			if s, ok := x.(*syntax.BinaryExpr); ok {
				if k, ok := info.Scales[s]; ok && (k.LeftDiv*k.RightDiv*k.LeftMul*k.RightMul) == 0 {
					t.Errorf("%s has scale %v", syntax.Print(x), k)
				}
			}
			switch x.(type) {
			case *syntax.IntLit, *syntax.FloatLit, *syntax.ConstExpr:
				if _, ok := info.Consts[x]; !ok {
					t.Errorf("%s has no value", syntax.Print(x))
				}
			}
		})
	})
}
