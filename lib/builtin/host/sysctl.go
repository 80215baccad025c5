package host

import (
	"bytes"
	"encoding/binary"
	"fmt"

	psnet "github.com/shirou/gopsutil/v4/net"
)

// A sysctl asks the kernel of macOS, as unix.SysctlRaw does; tests have answers of their own.
type sysctl func(name string, args ...int) ([]byte, error)

// mac returns macOS, whose kernel is asked by a function. gopsutil runs netstat for the counters of
// interfaces, which does not print the packets that are dropped when they come in.
func mac(ask sysctl) machine {
	m := portable()
	m.system, m.interfaces = "darwin", ask.interfaces
	return m
}

// The path to an interface among the numbers of sysctl (net/if_mib.h). The list of NET_RT_IFLIST2 has
// the same structures, but macOS 13.3 and later cut its bytes to 32 bits for programs that are not Apple's.
const (
	pfLink         = 18
	netlinkGeneric = 0
	ifmibIfdata    = 2
	ifdataGeneral  = 1

	maxInterfaces = 1 << 16
	nameSize      = 16 // IFNAMSIZ
)

// An ifData64 is struct if_data64 (net/if_var.h), packed to 4 bytes: the end of struct ifmibdata.
type ifData64 struct {
	Type, Typelen, Physical, Addrlen, Hdrlen, Recvquota, Xmitquota, Unused1                              uint8
	MTU, Metric                                                                                          uint32
	Baudrate                                                                                             uint64
	Ipackets, Ierrors, Opackets, Oerrors, Collisions, Ibytes, Obytes, Imcasts, Omcasts, Iqdrops, Noproto uint64
	Recvtiming, Xmittiming, Lastsec, Lastusec                                                            uint32
}

// An ifmibHead is the beginning of struct ifmibdata.
type ifmibHead struct {
	Name                                            [nameSize]byte
	Promiscuous, Flags, SndLen, SndMaxlen, SndDrops uint32
}

const ifData64Size = 128

// interfaces returns the counters of all interfaces. Numbers of interfaces that are gone are free.
func (ask sysctl) interfaces() ([]psnet.IOCountersStat, error) {
	answer, err := ask("net.link.generic.system.ifcount")
	if err != nil {
		return nil, err
	}
	var count uint32
	if _, err := binary.Decode(answer, binary.LittleEndian, &count); err != nil || count > maxInterfaces {
		return nil, fmt.Errorf("net.link.generic.system.ifcount: %d bytes, %d interfaces", len(answer), count)
	}
	var list []psnet.IOCountersStat
	for i := range int(count) {
		answer, err := ask("net", pfLink, netlinkGeneric, ifmibIfdata, i+1, ifdataGeneral)
		if err != nil {
			continue
		}
		if s, err := interfaceCounters(answer); err == nil {
			list = append(list, s)
		}
	}
	return list, nil
}

// interfaceCounters decodes a struct ifmibdata.
func interfaceCounters(b []byte) (psnet.IOCountersStat, error) {
	var head ifmibHead
	var d ifData64
	_, err := binary.Decode(b, binary.LittleEndian, &head)
	name, _, ended := bytes.Cut(head.Name[:], []byte{0})
	if err != nil || len(name) == 0 || !ended || len(b) < binary.Size(head)+ifData64Size {
		return psnet.IOCountersStat{}, fmt.Errorf("ifmibdata of %d bytes, name %q", len(b), name)
	}
	if _, err := binary.Decode(b[len(b)-ifData64Size:], binary.LittleEndian, &d); err != nil {
		return psnet.IOCountersStat{}, err
	}
	return psnet.IOCountersStat{
		Name:      string(name),
		BytesRecv: d.Ibytes, PacketsRecv: d.Ipackets, Errin: d.Ierrors, Dropin: d.Iqdrops,
		BytesSent: d.Obytes, PacketsSent: d.Opackets, Errout: d.Oerrors, Dropout: uint64(head.SndDrops),
	}, nil
}
