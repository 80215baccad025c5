package sourcetest

import (
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// metaLies returns lies about descriptions and instances.
func metaLies() []lie {
	instances := func(f func([]pcp.Instance, error) ([]pcp.Instance, error)) func(l *liar) {
		return func(l *liar) { l.instances = f }
	}
	return []lie{
		{"fails", "describe", "error Unknown or illegal", func(l *liar) {
			l.describe = func([]pcp.Answer[pcp.Desc]) ([]pcp.Answer[pcp.Desc], error) { return nil, pmerr.PMID }
		}},
		{"order", "describe", "before it was", func(l *liar) {
			l.describe = func(rs []pcp.Answer[pcp.Desc]) ([]pcp.Answer[pcp.Desc], error) { slices.Reverse(rs); return rs, nil }
		}},
		{"another metric's", "describe", "is one of 245.0.2", func(l *liar) {
			l.describe = func(rs []pcp.Answer[pcp.Desc]) ([]pcp.Answer[pcp.Desc], error) {
				for i := range rs {
					rs[i].Value.ID++
				}
				return rs, nil
			}
		}},
		{"unknown metric", "describe", "want an error", func(l *liar) {
			l.describe = func(rs []pcp.Answer[pcp.Desc]) ([]pcp.Answer[pcp.Desc], error) {
				for i := range rs {
					rs[i].Err = nil
				}
				return rs, nil
			}
		}},
		{"other error", "describe", "unknown metric 399.1999.1: error", func(l *liar) {
			l.describe = func(rs []pcp.Answer[pcp.Desc]) ([]pcp.Answer[pcp.Desc], error) {
				for i := range rs {
					if rs[i].Err != nil {
						rs[i].Err = pmerr.Name
					}
				}
				return rs, nil
			}
		}},
		{"twice", "instances", "is there twice", instances(func(list []pcp.Instance, err error) ([]pcp.Instance, error) {
			return append(list[:len(list):len(list)], list...), err
		})},
		{"beside an error", "instances", "together with error", instances(func([]pcp.Instance, error) ([]pcp.Instance, error) {
			return []pcp.Instance{{}}, pmerr.InDom
		})},
		{"unknown domain", "instances", "want error Unknown or illegal instance domain", instances(
			func(list []pcp.Instance, _ error) ([]pcp.Instance, error) { return list, nil })},
		{"wrong name", "instance names", "Instances has \"one\"", func(l *liar) {
			l.instName = func(name string, err error) (string, error) { return name + "x", err }
		}},
		{"no such number", "instance names", "InstName(245.1, 8)", func(l *liar) {
			l.instName = func(name string, _ error) (string, error) { return name, nil }
		}},
		{"wrong number", "instance names", "Instances has 7", func(l *liar) {
			l.instID = func(id int32, err error) (int32, error) { return id + 1, err }
		}},
		{"no such name", "instance names", "no such instance", func(l *liar) {
			l.instID = func(id int32, _ error) (int32, error) { return id, nil }
		}},
	}
}

// textLies returns lies about labels and texts.
func textLies() []lie {
	labels := func(f func([]pcp.LabelSet) []pcp.LabelSet) func(l *liar) {
		return func(l *liar) { l.labels = f }
	}
	return []lie{
		{"two sets", "labels", "at most one set", labels(func(sets []pcp.LabelSet) []pcp.LabelSet { return append(sets, sets...) })},
		{"instance twice", "labels", "two sets of instance 7", labels(func(sets []pcp.LabelSet) []pcp.LabelSet {
			return append(sets, sets...)
		})},
		{"order", "labels", "does not come after", labels(func(sets []pcp.LabelSet) []pcp.LabelSet {
			slices.Reverse(sets[0].Labels)
			return sets
		})},
		{"not JSON", "labels", "which is not JSON", labels(func(sets []pcp.LabelSet) []pcp.LabelSet {
			sets[0].Labels[0].Value = "text"
			return sets
		})},
		{"beside an error", "labels", "together with error", labels(func(sets []pcp.LabelSet) []pcp.LabelSet {
			sets[0].Err = pmerr.Inst
			return sets
		})},
		{"other error", "texts", "want error One-line", func(l *liar) {
			l.text = func(s string, err error) (string, error) {
				if err != nil {
					err = pmerr.PMID
				}
				return s, err
			}
		}},
		{"unknown metric", "texts", "of the unknown", func(l *liar) {
			l.text = func(s string, _ error) (string, error) { return s, nil }
		}},
	}
}
