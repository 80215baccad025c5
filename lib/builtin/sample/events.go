package sample

import (
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// events are event records (collector.md C11.4).
type events struct {
	fungusFetches, highresFetches int32 // set by event.reset and reset_highres
	bogusFetches, highresBogus    int32
	lastBogus                     []byte // the value that was delivered last
}

// Items of event parameters.
const (
	eventType = 127 + iota
	event32
	eventU32
	event64
	eventU64
	eventFloat
	eventDouble
	eventString
	eventAggregate
)

func (s *collector) addEvents() {
	s.indom("10", pmda.Numbered(0, "fungus", "bogus")...)
	for _, m := range []struct {
		reset, records uint32 // items
		fungus, bogus  *int32
	}{
		{126, 136, &s.events.fungusFetches, &s.events.bogusFetches}, {140, 139, &s.events.highresFetches, &s.events.highresBogus},
	} {
		s.int32s(m.reset, m.fungus).Store = setting(func(w uint64) { *m.fungus, *m.bogus = int32(w)%4, int32(w) })
		s.define(m.records, func(c *pmda.Column) error {
			for _, i := range c.Instances() {
				if i.ID == 0 {
					s.fetchFungus(c, m.fungus)
				} else {
					s.fetchBogus(c, i.ID, m.bogus)
				}
			}
			return nil
		})
	}
	s.define(137, func(c *pmda.Column) error {
		s.fetchBogus(c, pcp.NullInst, &s.events.bogusFetches)
		return nil
	})
}

type eventWriter struct {
	*pmda.Events
	domain uint32
	at     time.Time
	missed int32 // number of missed records in it
	err    error
}

func (w *eventWriter) record(flags pcp.EventFlags) {
	if err := w.Record(pcp.TimestampOf(w.at), flags); err != nil {
		w.err = err
	}
}

func (w *eventWriter) param(item uint32, v pcp.Value) {
	if err := w.Param(pcp.NewID(w.domain, 0, item), v); err != nil {
		w.err = err
	}
}

func (w *eventWriter) number(item uint32, t pcp.Type, v float64) {
	w.param(item, pcp.WordValue(t, wordOf(t, v)))
}

func (w *eventWriter) text(s string) { w.param(eventString, pcp.BlobValue(pcp.String, []byte(s))) }

func (w *eventWriter) deliver(c *pmda.Column, inst int32) {
	if w.err != nil {
		c.Fail(w.err)
		return
	}
	c.Bytes(inst, w.Bytes())
}

func (s *collector) newWriter(c *pmda.Column) *eventWriter {
	w := &eventWriter{Events: pmda.NewEvents(c.Metric().Type), domain: s.opts.Domain, at: s.now, missed: 7}
	if c.Metric().Type == pcp.HighResEvent {
		w.missed = 0 // the reference leaves the number out
	}
	return w
}

// fetchBogus delivers a record with the number of fetches, and at some fetches a second record.
func (s *collector) fetchBogus(c *pmda.Column, inst int32, fetches *int32) {
	w := s.newWriter(c)
	w.record(pcp.EventPoint)
	w.text(fmt.Sprintf("fetch #%d", *fetches))
	if *fetches%3 == 0 {
		w.record(pcp.EventPoint)
		w.text("bingo!")
	}
	*fetches++
	w.deliver(c, inst)
	if c.Metric().Type == pcp.Event {
		s.events.lastBogus = w.Bytes()
	}
}

// shareBogus makes all bogus records of a result the last one: in the reference they share memory.
func (s *collector) shareBogus(res *pcp.Result) {
	if s.events.lastBogus == nil {
		return
	}
	for i := range res.Sets {
		v := &res.Sets[i]
		if item := v.ID.Item(); item != 136 && item != 137 {
			continue
		}
		for j, inst := range v.Insts {
			if inst != 0 {
				v.Blobs[j] = s.events.lastBogus
			}
		}
	}
	s.events.lastBogus = nil
}

// fetchFungus delivers none, one, two or many records, and counts.
func (s *collector) fetchFungus(c *pmda.Column, fetches *int32) {
	w := s.newWriter(c)
	w.at = s.now.Add(-10 * time.Second)
	next := func(flags pcp.EventFlags) {
		w.record(flags)
		w.at = w.at.Add(time.Second)
	}
	switch *fetches % 4 {
	case 1:
		next(pcp.EventPoint)
	case 2:
		next(pcp.EventPoint)
		w.number(eventType, pcp.Uint32, 1)
		next(pcp.EventPoint)
		w.number(eventType, pcp.Uint32, 2)
		w.number(event64, pcp.Int64, -3)
	case 3:
		manyRecords(w, next)
	}
	*fetches = (*fetches + 1) % 4
	w.deliver(c, 0)
}

func manyRecords(w *eventWriter, next func(pcp.EventFlags)) {
	next(pcp.EventStart | pcp.EventHasID | pcp.EventParent)
	w.number(eventType, pcp.Uint32, 4)
	w.number(eventU64, pcp.Uint64, 5)
	w.text("6")
	next(pcp.EventPoint)
	w.number(eventType, pcp.Uint32, 7)
	w.number(eventDouble, pcp.Double, 8)
	w.number(eventDouble, pcp.Double, -9)
	next(pcp.EventEnd)
	w.number(eventType, pcp.Uint32, 10)
	w.number(eventU64, pcp.Uint64, 11)
	w.text("twelve")
	w.text("thirteen")
	w.number(event32, pcp.Int32, -14)
	w.number(eventU32, pcp.Uint32, 15)
	w.Missed(pcp.TimestampOf(w.at), w.missed)
	w.at = w.at.Add(time.Second)
	next(pcp.EventPoint)
	w.number(eventType, pcp.Uint32, 16)
	w.number(eventFloat, pcp.Float, -17)
	w.param(eventAggregate, pcp.BlobValue(pcp.Aggregate, []byte{0x01, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0xff}))
}
