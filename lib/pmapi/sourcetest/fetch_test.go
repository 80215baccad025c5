package sourcetest

import (
	"context"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// fetchLies returns lies about requests.
func fetchLies() []lie {
	return []lie{
		{"too few columns", "fetch", "columns, want 5", func(l *liar) {
			l.fetch = func(_ *pmapi.Request, dst *pcp.Result, err error) error { dst.Sets = dst.Sets[:1]; return err }
		}},
		{"order of columns", "fetch", "it is of", func(l *liar) {
			l.fetch = func(_ *pmapi.Request, dst *pcp.Result, err error) error { slices.Reverse(dst.Sets[:2]); return err }
		}},
		{"no end", "fetch", "no end after", func(l *liar) {
			l.instead = func(req *pmapi.Request, dst *pcp.Result) error {
				dst.Reset(len(req.IDs))
				dst.Time = l.Origin()
				for i := range req.IDs {
					dst.Sets[i].ID = req.IDs[i]
				}
				return nil
			}
		}},
		{"damage", "fetch", "number 0: Corrupted", func(l *liar) {
			l.instead = func(*pmapi.Request, *pcp.Result) error { return pmerr.LogRec }
		}},
		{"too short", "fetch", "0 results", func(l *liar) {
			l.instead = func(*pmapi.Request, *pcp.Result) error { return pmerr.EOL }
		}},
		{"other time", "fetch", "Origin is", func(l *liar) {
			l.fetch = func(_ *pmapi.Request, dst *pcp.Result, err error) error { dst.Time.Sec++; return err }
		}},
	}
}

// againLies returns lies about Results that are used again.
func againLies() []lie {
	return []lie{
		{"old error", "fetch again", "sample 0", func(l *liar) {
			l.instead = func(req *pmapi.Request, dst *pcp.Result) error {
				var old []error
				for i := range dst.Sets {
					old = append(old, dst.Sets[i].Err)
				}
				err := l.Archive.Fetch(context.Background(), req, dst)
				for i := range min(len(old), len(dst.Sets)) {
					if dst.Sets[i].Len() == 0 {
						dst.Sets[i].Err = old[i]
					}
				}
				return err
			}
		}},
		{"memory of its own", "fetch again", "changed an older Result", func(l *liar) {
			var mine pcp.Result
			l.instead = func(req *pmapi.Request, dst *pcp.Result) error {
				err := l.Archive.Fetch(context.Background(), req, &mine)
				*dst = mine
				return err
			}
		}},
		{"bytes used again", "fetch again", "changed the bytes", func(l *liar) {
			buffer := make([]byte, 64)
			l.fetch = func(_ *pmapi.Request, dst *pcp.Result, err error) error {
				for i := range dst.Sets {
					for j, b := range dst.Sets[i].Blobs {
						dst.Sets[i].Blobs[j] = buffer[:copy(buffer, b)]
					}
				}
				return err
			}
		}},
	}
}

// requestLies returns lies about requests of a special kind.
func requestLies() []lie {
	return []lie{
		{"ignored", "fetch profile", "the profile does not select", func(l *liar) {
			l.ask = func(req *pmapi.Request) *pmapi.Request { return &pmapi.Request{IDs: req.IDs} }
		}},
		{"too much left out", "fetch profile", "with a profile of one instance", func(l *liar) {
			l.fetch = func(req *pmapi.Request, dst *pcp.Result, err error) error {
				for i := range dst.Sets {
					if req.Profile != nil {
						dst.Sets[i].Reset(dst.Sets[i].ID, dst.Sets[i].Type)
					}
				}
				return err
			}
		}},
		{"live: nothing selected", "fetch profile", "with a profile of everything of domain", func(l *liar) {
			l.fetch = func(req *pmapi.Request, dst *pcp.Result, err error) error {
				for i := range dst.Sets {
					if req.Profile != nil {
						dst.Sets[i].Reset(dst.Sets[i].ID, dst.Sets[i].Type)
					}
				}
				return err
			}
		}},
		{"live: an instance left out", "fetch profile", "never a value of 245.1.1, instance 7", func(l *liar) {
			l.fetch = func(req *pmapi.Request, dst *pcp.Result, err error) error {
				for i := range dst.Sets {
					if v := &dst.Sets[i]; req.Profile != nil && v.Len() == 3 {
						v.Insts, v.Words = v.Insts[:2], v.Words[:2]
					}
				}
				return err
			}
		}},
		{"columns", "fetch nothing", "columns, want 0", func(l *liar) {
			l.fetch = func(req *pmapi.Request, dst *pcp.Result, err error) error {
				if len(req.IDs) == 0 {
					dst.Reset(1)
				}
				return err
			}
		}},
		{"passes over", "fetch nothing", "passed over", func(l *liar) {
			l.instead = func(req *pmapi.Request, dst *pcp.Result) error {
				err := l.Archive.Fetch(context.Background(), req, dst)
				if err == nil && len(req.IDs) == 0 {
					err = l.Archive.Fetch(context.Background(), req, dst)
				}
				return err
			}
		}},
		{"less than together", "fetch one", "Fetch of nothing but 245.0.1", func(l *liar) {
			l.fetch = func(req *pmapi.Request, dst *pcp.Result, err error) error {
				if len(req.IDs) == 1 && err == nil {
					dst.Sets[0].Reset(req.IDs[0], pcp.Unknown)
				}
				return err
			}
		}},
		{"unknown metric", "fetch one", "want no values or End of PCP archive", func(l *liar) {
			l.instead = func(req *pmapi.Request, dst *pcp.Result) error {
				if len(req.IDs) == 1 && req.IDs[0].Domain() == 399 {
					return pmerr.PMID
				}
				return l.Archive.Fetch(context.Background(), req, dst)
			}
		}},
	}
}

// columnLies returns lies within one column.
func columnLies() []lie {
	column := func(name, want string, item uint32, change func(v *pcp.Values)) lie {
		return lie{name, "fetch", want, func(l *liar) {
			l.fetch = func(_ *pmapi.Request, dst *pcp.Result, err error) error {
				for i := range dst.Sets {
					if v := &dst.Sets[i]; v.ID.Item() == item && err == nil {
						change(v)
					}
				}
				return err
			}
		}}
	}
	first := true
	return []lie{
		column("values beside an error", "beside an error", 1, func(v *pcp.Values) { v.Err = pmerr.Value }),
		column("other type", "values are of type U64, want STRING", 3, func(v *pcp.Values) { v.Type = pcp.Uint64 }),
		column("no words", "words and 0 byte slices", 1, func(v *pcp.Values) { v.Words = nil }),
		column("no bytes", "0 words and 0 byte slices", 3, func(v *pcp.Values) { v.Blobs = nil }),
		column("odd values", "as many odd values", 3, func(v *pcp.Values) { v.Odd = make([]pcp.Odd, 9) }),
		column("singular", "a singular metric has", 3, func(v *pcp.Values) { v.Insts[0] = 0 }),
		column("no instance", "a value of no instance", 1, func(v *pcp.Values) {
			if v.Len() == 3 {
				v.Insts[1] = pcp.NullInst
			}
		}),
		column("instance twice", "instance 0 is there twice", 1, func(v *pcp.Values) {
			if v.Len() == 3 {
				v.Insts[2] = v.Insts[0]
			}
		}),
		column("unknown metric", "values of an unknown metric", 1, func(v *pcp.Values) {
			if v.Len() == 0 {
				v.Insts = []int32{0}
			}
		}),
		column("the same twice", "columns 0 and 4 differ", 1, func(v *pcp.Values) {
			if first = !first; first && v.Len() > 0 && len(v.Words) > 0 {
				v.Words[0]++
			}
		}),
	}
}
