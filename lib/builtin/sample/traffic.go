package sample

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// traffic is who has asked how often. A request counts as a message received,
// its answer as one sent.
type traffic struct {
	clients        map[*pmda.Client]*client
	starts, ends   int32
	highest        int32 // the highest number of a client, and one
	received, sent uint32
}

// A client is what is known about a client.
type client struct {
	received, sent uint32
}

// known returns what is known about a client.
func (s *collector) known(c *pmda.Client) *client {
	k := s.clients[c]
	if k == nil {
		s.starts++
		if c != nil {
			s.highest = max(s.highest, c.Number+1)
		}
		k = &client{sent: 1}
		s.clients[c] = k
	}
	return k
}

// begin counts a request.
func (s *collector) begin(c *pmda.Client) {
	s.received++
	s.known(c).received++
}

// end counts an answer.
func (s *collector) end(c *pmda.Client) {
	s.sent++
	s.known(c).sent++
}

// SetProfile implements pmda.ProfileWatcher: another profile is a message, which is
// not answered.
func (s *collector) SetProfile(c *pmda.Client, p *pcp.Profile) {
	if p != s.profile {
		s.begin(c)
	}
}

// SetAttr implements pmda.ClientWatcher.
func (s *collector) SetAttr(c *pmda.Client, _ pdu.AttrCode) { s.known(c) }

// EndClient implements pmda.ClientWatcher.
func (s *collector) EndClient(c *pmda.Client) {
	if s.clients[c] != nil {
		s.ends++
		delete(s.clients, c)
	}
}

// addTraffic adds the metrics about messages and clients.
func (s *collector) addTraffic() {
	count := pcp.Units{DimCount: 1}
	for i, row := range []struct {
		what  string
		value func(received, sent uint32) int64
	}{
		{"received and sent", func(received, sent uint32) int64 { return int64(received) + int64(sent) }},
		{"received", func(received, _ uint32) int64 { return int64(received) }},
		{"sent", func(_, sent uint32) int64 { return int64(sent) }},
	} {
		t := pcp.Uint32
		if i == 0 {
			t = pcp.Uint64
		}
		m := s.define(uint32(40+i), t, pcp.Counter, "Messages "+row.what, "How many messages the agent has "+row.what+". Storing anything here makes it\nbegin at zero.",
			pmda.One(func() int64 { return row.value(s.received, s.sent) }))
		m.Units, m.Store = count, s.resetTraffic
		s.define(uint32(43+i), pcp.Int32, pcp.Counter, "Messages "+row.what+" for this client", "How many messages the agent has "+row.what+" on behalf of the client that asks.", func(c *pmda.Column) error {
			k := s.known(c.Client())
			c.Int(pcp.NullInst, row.value(k.received, k.sent))
			return nil
		}).Units = count
	}
	add := func(item uint32, oneLine string, value func() int32) {
		s.define(item, pcp.Int32, pcp.Instant, oneLine, "", pmda.One(value)).Units = count
	}
	add(122, "How many numbers for clients there are", func() int32 { return s.highest })
	add(123, "How many clients there are", func() int32 { return int32(len(s.clients)) })
	add(124, "How many clients there were", func() int32 { return s.starts })
	add(125, "How many clients have gone", func() int32 { return s.ends })
}

// resetTraffic makes counts begin at zero, for the client that asks as well.
func (s *collector) resetTraffic(c *pmda.Client, v *pcp.Values) error {
	if v.Len() != 1 {
		return pmerr.BadStore
	}
	k, item := s.known(c), v.ID.Item()
	if item != 42 {
		s.received, k.received = 0, 0
	}
	if item != 41 {
		s.sent, k.sent = 0, 0
	}
	return nil
}
