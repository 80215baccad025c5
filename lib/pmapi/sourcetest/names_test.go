package sourcetest

import (
	"context"
	"errors"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// nameLies returns lies about the name space.
func nameLies() []lie {
	return []lie{
		{"order", "lookup", "Walk says", func(l *liar) {
			l.lookup = func(rs []pcp.Answer[pcp.ID]) []pcp.Answer[pcp.ID] { slices.Reverse(rs); return rs }
		}},
		{"too few", "lookup", "want 1 results", func(l *liar) {
			l.lookup = func(rs []pcp.Answer[pcp.ID]) []pcp.Answer[pcp.ID] { return rs[:len(rs)/2] }
		}},
		{"identifier beside an error", "lookup", "want PM_ID_NULL", func(l *liar) {
			l.lookup = func(rs []pcp.Answer[pcp.ID]) []pcp.Answer[pcp.ID] {
				for i := range rs {
					if rs[i].Err != nil {
						rs[i].Value = 0
					}
				}
				return rs
			}
		}},
		{"inner node", "lookup", "error Metric name is not a leaf", func(l *liar) {
			l.lookup = func(rs []pcp.Answer[pcp.ID]) []pcp.Answer[pcp.ID] {
				for i := range rs {
					if rs[i].Err != nil {
						rs[i].Err = pmerr.Name
					}
				}
				return rs
			}
		}},
		{"none", "names", "among them", func(l *liar) {
			l.names = func([]string, error) ([]string, error) { return nil, nil }
		}},
		{"unknown metric", "names", "want error Unknown or illegal metric identifier", func(l *liar) {
			l.names = func(names []string, _ error) ([]string, error) { return names, nil }
		}},
		{"twice", "names", "or one twice", func(l *liar) {
			l.names = func(names []string, err error) ([]string, error) { return append(names, names...), err }
		}},
		{"one less", "children", "Children does not", func(l *liar) {
			l.children = func(list []pcp.Child, err error) ([]pcp.Child, error) { return list[min(1, len(list)):], err }
		}},
		{"leaf", "children", "is a leaf: false", func(l *liar) {
			l.children = func(list []pcp.Child, err error) ([]pcp.Child, error) {
				for i := range list {
					list[i].Leaf = false
				}
				return list, err
			}
		}},
		{"full names", "children", "one with a dot", func(l *liar) {
			l.children = func(list []pcp.Child, err error) ([]pcp.Child, error) {
				for i := range list {
					list[i].Name = "lab." + list[i].Name
				}
				return list, err
			}
		}},
		{"below leaves", "children", "no end below", func(l *liar) {
			l.children = func([]pcp.Child, error) ([]pcp.Child, error) { return []pcp.Child{{Name: "x"}}, nil }
		}},
		{"unknown node", "children", "want error Unknown metric name", func(l *liar) {
			l.children = func(list []pcp.Child, _ error) ([]pcp.Child, error) { return list, nil }
		}},
		{"twice", "walk", "twice", func(l *liar) {
			l.walk = func(prefix string, f func(string, pcp.ID) bool) error {
				return l.Archive.Walk(context.Background(), prefix, true, func(name string, id pcp.ID) bool {
					f(name, id)
					return f(name, id)
				})
			}
		}},
		{"does not stop", "walk", "stopped at number 1", func(l *liar) {
			l.walk = func(prefix string, f func(string, pcp.ID) bool) error {
				return l.Archive.Walk(context.Background(), prefix, true, func(name string, id pcp.ID) bool { f(name, id); return true })
			}
		}},
		{"everything", "walk", `Walk("lab.alias")`, func(l *liar) {
			l.walk = func(_ string, f func(string, pcp.ID) bool) error {
				return l.Archive.Walk(context.Background(), "", true, f)
			}
		}},
		{"unknown name", "walk", "want error Unknown metric name", func(l *liar) {
			l.walk = func(prefix string, f func(string, pcp.ID) bool) error {
				if err := l.Archive.Walk(context.Background(), prefix, true, f); !errors.Is(err, pmerr.Name) {
					return err
				}
				return nil
			}
		}},
		{"fails", "walk", `Walk(""): No Profile`, func(l *liar) {
			l.walk = func(string, func(string, pcp.ID) bool) error { return errors.New("No Profile") }
		}},
	}
}
