package sourcetest

import (
	"errors"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// timeLies returns lies about positions.
func timeLies() []lie {
	return []lie{
		{"after the end", "timeline end", "Fetch at the end", func(l *liar) {
			ended := false
			l.fetch = func(_ *pmapi.Request, dst *pcp.Result, err error) error {
				if errors.Is(err, pmerr.EOL) && ended {
					return nil
				}
				ended = errors.Is(err, pmerr.EOL)
				return err
			}
		}},
		{"back to the start", "timeline end", "before the last sample", func(l *liar) {
			start := l.Archive.Origin()
			l.fetch = func(_ *pmapi.Request, _ *pcp.Result, err error) error {
				if errors.Is(err, pmerr.EOL) {
					_ = l.Archive.SetMode(pcp.Forward, &start, 0)
				}
				return err
			}
		}},
		{"always forward", "timeline end", "backwards: sample 0", func(l *liar) {
			l.setMode = func(_ pcp.Mode, when *pcp.Timestamp) error { return l.Archive.SetMode(pcp.Forward, when, 0) }
		}},
		{"bounds", "timeline end", "Bounds:", func(l *liar) {
			l.bounds = func(start, end pcp.Timestamp) (pcp.Timestamp, pcp.Timestamp) { return end, start }
		}},
		{"host", "timeline end", "Host: no name", func(l *liar) { l.host = func() string { return "" } }},
		{"inexact", "timeline seek", "forward from", func(l *liar) {
			l.origin = func(t pcp.Timestamp) pcp.Timestamp { return t }
			l.setMode = func(m pcp.Mode, when *pcp.Timestamp) error {
				at := when.Add(-1)
				err := l.Archive.SetMode(m, &at, 0)
				l.origin = func(t pcp.Timestamp) pcp.Timestamp {
					if t == at {
						return *when
					}
					return t
				}
				return err
			}
		}},
		{"stands still", "timeline seek", "SetMode(2", func(l *liar) {
			start := l.Archive.Origin()
			l.origin = func(pcp.Timestamp) pcp.Timestamp { return start }
		}},
		{"without gaps", "timeline records", "fetches with gaps", func(l *liar) {
			l.fetch = func(req *pmapi.Request, dst *pcp.Result, err error) error {
				dst.Gap = req.Gaps
				return err
			}
		}},
		{"any mode", "timeline modes", "SetMode(99)", func(l *liar) {
			l.setMode = func(m pcp.Mode, when *pcp.Timestamp) error {
				if err := l.Archive.SetMode(m, when, 0); !errors.Is(err, pmerr.Mode) {
					return err
				}
				return nil
			}
		}},
		{"moved by an error", "timeline modes", "after a mode that does not exist", func(l *liar) {
			l.setMode = func(m pcp.Mode, when *pcp.Timestamp) error {
				err := l.Archive.SetMode(m, when, 0)
				if err != nil {
					_ = l.Archive.SetMode(pcp.Forward, nil, 0)
				}
				return err
			}
		}},
		{"nil is the start", "timeline modes", "nil): error", func(l *liar) {
			start := l.Archive.Origin()
			l.setMode = func(m pcp.Mode, when *pcp.Timestamp) error {
				if when == nil {
					when = &start
				}
				return l.Archive.SetMode(m, when, 0)
			}
		}},
		{"missing", "timeline instances", "does not have", func(l *liar) {
			l.all = func(list []pcp.Instance, err error) ([]pcp.Instance, error) { return list[min(1, len(list)):], err }
		}},
		{"twice", "timeline instances", "want each once", func(l *liar) {
			l.all = func(list []pcp.Instance, err error) ([]pcp.Instance, error) {
				return append(list[:len(list):len(list)], list...), err
			}
		}},
		{"unknown domain", "timeline instances", "want an error", func(l *liar) {
			l.all = func(list []pcp.Instance, _ error) ([]pcp.Instance, error) { return list, nil }
		}},
		{"fails", "close", "Close: Generic error", func(l *liar) { l.close = func(error) error { return pmerr.Generic } }},
		{"open for good", "close", "Fetch after Close", func(l *liar) {
			l.fetch = func(*pmapi.Request, *pcp.Result, error) error { return nil }
		}},
		{"a name after the end", "close", "InstName after Close", func(l *liar) {
			l.instName = func(name string, _ error) (string, error) { return name, nil }
		}},
		{"a code of its own", "close", "SetMode after Close", func(l *liar) {
			l.setMode = func(pcp.Mode, *pcp.Timestamp) error { return pmerr.Mode }
		}},
	}
}
