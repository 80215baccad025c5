package sample

import (
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// traffic counts the messages of clients: a request is a message received, its answer one sent.
type traffic struct {
	clients        map[*pmda.Client]*client
	starts, ends   int32
	highest        int32 // the highest number of a client, and one
	received, sent uint32
}

type client struct {
	received, sent uint32
}

func (s *collector) known(c *pmda.Client) *client {
	k := s.traffic.clients[c]
	if k == nil {
		s.traffic.starts++
		if c != nil {
			s.traffic.highest = max(s.traffic.highest, c.Number+1)
		}
		k = &client{sent: 1}
		s.traffic.clients[c] = k
	}
	return k
}

func (s *collector) begin(c *pmda.Client) {
	s.traffic.received++
	s.known(c).received++
}

func (s *collector) end(c *pmda.Client) {
	s.traffic.sent++
	s.known(c).sent++
}

// SetProfile implements pmda.ProfileWatcher: another profile is a message, which is not answered.
func (s *collector) SetProfile(c *pmda.Client, p *pcp.Profile) {
	if p != s.families.profile {
		s.begin(c)
	}
}

// SetAttr implements pmda.ClientWatcher.
func (s *collector) SetAttr(c *pmda.Client, _ pdu.AttrCode) { s.known(c) }

// EndClient implements pmda.ClientWatcher.
func (s *collector) EndClient(c *pmda.Client) {
	if s.traffic.clients[c] != nil {
		s.traffic.ends++
		delete(s.traffic.clients, c)
	}
}

func (s *collector) addTraffic() {
	for i, value := range []func(received, sent uint32) int64{
		func(received, sent uint32) int64 { return int64(received) + int64(sent) },
		func(received, _ uint32) int64 { return int64(received) },
		func(_, sent uint32) int64 { return int64(sent) },
	} {
		s.define(uint32(40+i), pmda.One(func() int64 { return value(s.traffic.received, s.traffic.sent) })).Store = s.resetTraffic
		s.define(uint32(43+i), func(c *pmda.Column) error {
			k := s.known(c.Client())
			c.Int(pcp.NullInst, value(k.received, k.sent))
			return nil
		})
	}
	s.define(122, pmda.One(func() int32 { return s.traffic.highest }))
	s.define(123, pmda.One(func() int { return len(s.traffic.clients) }))
	s.define(124, pmda.One(func() int32 { return s.traffic.starts }))
	s.define(125, pmda.One(func() int32 { return s.traffic.ends }))
}

func (s *collector) resetTraffic(c *pmda.Client, v *pcp.Values) error {
	if v.Len() != 1 {
		return pmerr.BadStore
	}
	k, item := s.known(c), v.ID.Item()
	if item != 42 {
		s.traffic.received, k.received = 0, 0
	}
	if item != 41 {
		s.traffic.sent, k.sent = 0, 0
	}
	return nil
}
