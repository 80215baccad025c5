package host

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	psnet "github.com/shirou/gopsutil/v4/net"
)

// A sysctl asks the kernel of macOS, as unix.SysctlRaw does; tests have answers of their own.
type sysctl func(name string, args ...int) ([]byte, error)

// mac returns macOS, whose kernel is asked by a function where gopsutil would run programs: netstat for
// the counters of interfaces, which does not print the packets that are dropped when they come in, and
// two for the name of the system. base has the other answers.
func mac(ask sysctl, base machine) machine {
	m := base
	m.system, m.info, m.bootTime, m.interfaces = "darwin", ask.info, ask.bootTime, ask.interfaces
	m.disks = func() (map[string]disk.IOCountersStat, error) {
		v, err := base.disks()
		for name, d := range v {
			d.WeightedIO = d.ReadTime + d.WriteTime // as Linux 5.0 and later count it
			v[name] = d
		}
		return v, err
	}
	return m
}

// fixed asks for a value whose answer has a fixed size.
func fixed[T any](ask sysctl, name string) (v T, err error) {
	answer, err := ask(name)
	switch {
	case err != nil:
		return v, fmt.Errorf("%s: %w", name, err)
	case len(answer) != binary.Size(v):
		return v, fmt.Errorf("%s: %d bytes, want %d", name, len(answer), binary.Size(v))
	}
	_, err = binary.Decode(answer, binary.LittleEndian, &v)
	return v, err
}

const maxText = 1024 // more than any text of sysctl has

// text reads a value as a text that ends at a zero byte, "" if there is no value.
func (ask sysctl) text(name string) string {
	answer, err := ask(name)
	text, _, _ := bytes.Cut(answer, []byte{0})
	if err != nil || len(text) > maxText || !utf8.Valid(text) {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// bootTime returns when the system was started, in seconds since 1970: kern.boottime is a struct
// timeval.
func (ask sysctl) bootTime() (uint64, error) {
	v, err := fixed[struct {
		Sec     int64
		Usec, _ int32
	}](ask, "kern.boottime")
	if err == nil && v.Sec <= 0 {
		err = fmt.Errorf("kern.boottime: %d seconds", v.Sec)
	}
	return uint64(v.Sec), err
}

const kinfoProcSize = 648 // of struct kinfo_proc (sys/sysctl.h), on both architectures

func (ask sysctl) info() (*host.InfoStat, error) {
	boot, err := ask.bootTime()
	list, err2 := ask("kern.proc.all")
	if err2 == nil && (len(list) == 0 || len(list)%kinfoProcSize != 0) {
		err2 = fmt.Errorf("kern.proc.all: %d bytes, want some times %d", len(list), kinfoProcSize)
	}
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return &host.InfoStat{
		BootTime: boot, Uptime: uint64(max(0, time.Now().Unix()-int64(boot))), Procs: uint64(len(list) / kinfoProcSize),
		OS: strings.ToLower(ask.text("kern.ostype")), Platform: "macOS", PlatformVersion: ask.text("kern.osproductversion"),
		KernelVersion: ask.text("kern.osrelease"), KernelArch: ask.text("hw.machine"), Hostname: ask.text("kern.hostname"),
	}, nil
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
	count, err := fixed[uint32](ask, "net.link.generic.system.ifcount")
	if err != nil || count > maxInterfaces {
		return nil, cmp.Or(err, fmt.Errorf("net.link.generic.system.ifcount: %d", count))
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
