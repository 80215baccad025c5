// Package timecontrol is the client's side of time control: a server, usually PCP's graphical
// pmtime, sends any number of programs the time of the next sample, so that they move through
// archives together (values.md V25).
//
// [Connect] reaches a server by its port, [Start] starts one. A [Conn] exchanges single packets;
// most programs use a [Follower] of it, which returns one [Event] after the other.
package timecontrol

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Command is the purpose of a packet, with the protocol's number (values.md V25.2).
type Command int32

// The commands. Set, Show, Hide, Bounds and Ack go to the server, which answers the first Set with
// Ack; Step, Zone, Mode and Drag come from it, and Set when it has jumped.
const (
	Set    Command = 1
	Step   Command = 2
	Zone   Command = 4
	Mode   Command = 8
	Drag   Command = 16
	Show   Command = 32
	Hide   Command = 64
	Bounds Command = 128
	Ack    Command = 256
)

// A Kind is the origin of the client's metrics.
type Kind int32

// The kinds.
const (
	Live     Kind = 0
	Recorded Kind = 1
)

// A Direction is the direction of time.
type Direction int32

// The directions.
const (
	Stopped  Direction = 0
	Forward  Direction = 1
	Backward Direction = 2
)

// A Packet is one message of the protocol, in either direction. Times have microseconds: finer
// parts are cut off.
type Packet struct {
	Command   Command
	Kind      Kind
	Direction Direction
	Speed     int32         // speed of the server's display: 0 single steps, 1 normal, 2 fast
	Delta     time.Duration // time between samples; one that is too long is cut to the longest Duration
	Position  pcp.Timestamp
	Start     pcp.Timestamp // Start and End are the bounds of the client's archive; zero for live metrics
	End       pcp.Timestamp
	Zone      string // in the form of TZ, in Set and Zone packets
	ZoneLabel string // the zone as the user sees it
}

// Sizes in bytes: a packet without zone, and the longest packet that a client accepts.
const (
	headSize = 88
	maxSize  = headSize + 80
)

const magic = 0x54494d45

// Encode appends the whole packet to dst, in the byte order of the machine: the protocol is for one
// machine only:
//
//	 0 magic, length of the packet, command, kind, direction, speed: 4 bytes each
//	24 delta, 40 position, 56 start, 72 end: seconds and microseconds, 8 bytes each
//	88 zone and its label, each with a NUL after it
func (src *Packet) Encode(dst []byte) ([]byte, error) {
	size := headSize
	if src.Zone != "" {
		size += len(src.Zone) + len(src.ZoneLabel) + 2
	}
	if strings.Contains(src.Zone+src.ZoneLabel, "\x00") {
		return dst, fmt.Errorf("timecontrol: zone %q: %w", src.Zone+src.ZoneLabel, pmerr.EINVAL)
	}
	for _, n := range []int32{magic, int32(size), int32(src.Command), int32(src.Kind), int32(src.Direction), src.Speed} {
		dst = binary.NativeEndian.AppendUint32(dst, uint32(n))
	}
	delta := pcp.Timestamp{}.Add(src.Delta)
	for _, t := range []pcp.Timestamp{delta, src.Position, src.Start, src.End} {
		dst = binary.NativeEndian.AppendUint64(dst, uint64(t.Sec))
		dst = binary.NativeEndian.AppendUint64(dst, uint64(t.Nsec/1000))
	}
	if src.Zone != "" {
		dst = append(append(dst, src.Zone...), 0)
		dst = append(append(dst, src.ZoneLabel...), 0)
	}
	return dst, nil
}

// Decode takes a whole packet apart. The magic number is ignored, as in the reference. A length
// that differs from that of src, and microseconds out of range, are pmerr.IPC.
func (dst *Packet) Decode(src []byte) error {
	*dst = Packet{}
	if len(src) < headSize || int64(binary.NativeEndian.Uint32(src[4:])) != int64(len(src)) {
		return fmt.Errorf("timecontrol: packet of %d bytes with a wrong length: %w", len(src), pmerr.IPC)
	}
	number := func(at int) int32 { return int32(binary.NativeEndian.Uint32(src[at:])) }
	dst.Command, dst.Kind = Command(number(8)), Kind(number(12))
	dst.Direction, dst.Speed = Direction(number(16)), number(20)
	var delta pcp.Timestamp
	for i, t := range []*pcp.Timestamp{&delta, &dst.Position, &dst.Start, &dst.End} {
		at := 24 + 16*i
		micros := binary.NativeEndian.Uint64(src[at+8:])
		if micros >= 1e6 {
			return fmt.Errorf("timecontrol: time at offset %d has %d microseconds: %w", at, int64(micros), pmerr.IPC)
		}
		*t = pcp.Timestamp{Sec: int64(binary.NativeEndian.Uint64(src[at:])), Nsec: int32(micros) * 1000}
	}
	dst.Delta = duration(delta)
	zone, label, _ := bytes.Cut(src[headSize:], []byte{0})
	label, _, _ = bytes.Cut(label, []byte{0})
	dst.Zone, dst.ZoneLabel = string(zone), string(label)
	return nil
}

// longest is the longest duration of whole seconds.
const longest = math.MaxInt64/int64(time.Second) - 1

func duration(t pcp.Timestamp) time.Duration {
	t.Sec = min(max(t.Sec, -longest), longest)
	return time.Duration(t.Sec)*time.Second + time.Duration(t.Nsec)
}
