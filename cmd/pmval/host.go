package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmerr"
)

// findHost asks for the name of the host that the metrics are of. It does so before anything is
// stored to the metric: the first fetch must follow the store at once, or it misses events.
func (s *session) findHost(ctx context.Context) error {
	// Beside an error there is a guess, which is good enough.
	if s.host, _ = pmapi.HostName(ctx, s.src); s.host == "" {
		return errors.New("Cannot evaluate context host name: No error")
	}
	return nil
}

// identify stores the client's address and command line in the daemon. Errors are ignored, as in the
// reference: values do not depend on it.
func (s *session) identify(ctx context.Context) {
	id, err := pmapi.LookupName(ctx, s.src, "pmcd.client.whoami")
	if err != nil {
		return
	}
	words := []string{s.ownAddress(ctx), s.env.Prog}
	for _, arg := range s.env.Args {
		words = append(words, pmcd.Redact(arg)) // pmcd shows the text to everybody
	}
	v := pcp.Values{ID: id, Type: pcp.String, Insts: []int32{pcp.NullInst}, Blobs: [][]byte{[]byte(strings.Join(words, " "))}}
	_ = pmapi.Store(ctx, s.src, []pcp.Values{v})
}

const resolveLimit = 500 * time.Millisecond

// ownAddress returns the name and the address of this machine in the form for a daemon: "NAME
// (ADDRESS)".
func (s *session) ownAddress(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	name, err := s.env.Hostname()
	if err != nil {
		name = "localhost"
	}
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	if err != nil || len(addresses) == 0 {
		return name
	}
	if names, err := net.DefaultResolver.LookupAddr(ctx, addresses[0]); err == nil && len(names) > 0 {
		name = strings.TrimSuffix(names[0], ".")
	}
	return name + " (" + addresses[0] + ")"
}

// errRange is the code of a number out of range, ERANGE.
const errRange pmerr.Code = -34

// store stores the value of -x to all instances that are shown, if the source is live.
func (s *session) store(ctx context.Context) error {
	if !s.flags.hasFilter || s.timeline != nil {
		return nil
	}
	t := s.desc.Type
	if s.events() {
		t = pcp.String
	}
	value, err := pcp.ParseValue(t, s.flags.filter)
	switch {
	case errors.Is(err, errRange):
		return fmt.Errorf("filter value \"%s\" is out of range for metric data type (PM_TYPE_%s)", s.flags.filter, s.desc.Type)
	case err != nil:
		return fmt.Errorf("filter \"%s\" incompatible with metric type (PM_TYPE_%s)", s.flags.filter, s.desc.Type)
	}
	v := pcp.Values{ID: s.desc.ID, Type: t}
	for i := range s.columns {
		v.Append(s.columns[i].inst, value)
	}
	if err := pmapi.Store(ctx, s.src, []pcp.Values{v}); err != nil {
		return fmt.Errorf("store value \"%s\" failed: %s", s.flags.filter, pmerr.Message(err))
	}
	return nil
}
