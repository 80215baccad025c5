package proc

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// counting returns a collector of this system that counts pages.
func counting(t *testing.T) *collector {
	t.Helper()
	p := newCollector(&Options{Root: "/"})
	p.pages.begin(p.Root)
	if p.pages.node == "" {
		t.Skip("several nodes have memory here, or none is known")
	}
	p.Root.Buf = make([]byte, 1<<20)
	return p
}

// pagesOf returns the nodes of a process by numa_maps and as they are counted. These are nil if numa_maps changes meanwhile, or pages
// cannot be counted.
func pagesOf(t *testing.T, p *collector, pid int32) (want, got []memoryNode) {
	t.Helper()
	for range 20 {
		p.maps.reset()
		before, err := p.readFile(pid, "numa_maps")
		if err != nil {
			return nil, nil
		}
		want = nodesOf(before)
		maps, err := p.read(pid, "maps")
		if err != nil {
			return nil, nil
		}
		counted := p.pages.count(p.Root, pid, maps)
		if counted == nil {
			return want, nil
		}
		got = nodesOf(counted)
		after, err := p.readFile(pid, "numa_maps")
		if err == nil && slices.Equal(want, nodesOf(after)) {
			return want, got
		}
	}
	return nil, nil
}

// TestPages counts the pages of all processes: those of numa_maps.
func TestPages(t *testing.T) {
	p := counting(t)
	names, err := p.Root.Names("proc")
	if err != nil {
		t.Skip(err)
	}
	p.addPIDs(names)
	compared := 0
	for _, pid := range p.pids {
		want, got := pagesOf(t, p, pid)
		if got == nil {
			continue
		}
		if compared++; !slices.Equal(got, want) {
			t.Errorf("process %d: %v, want %v", pid, got, want)
		}
	}
	if compared == 0 {
		t.Skip("the kernel counts no pages here")
	}
	t.Logf("%d of %d processes", compared, len(p.pids))
}

// TestPagesOfAreas counts pages that were written, that were only read, and huge ones, in more ranges than are asked for at once.
func TestPagesOfAreas(t *testing.T) {
	p, self := counting(t), int32(os.Getpid())
	if _, got := pagesOf(t, p, self); got == nil {
		t.Skip("the kernel counts no pages here, or has huge ones")
	}
	const pages = 2000
	size := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, pages*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := unix.Madvise(m, unix.MADV_NOHUGEPAGE); err != nil {
		t.Skip(err)
	}
	zeros := 0
	for i := range pages {
		switch i % 3 {
		case 0:
			m[i*size] = 1
		case 1:
			zeros += int(m[i*size]) // the page of zeros that all share
		}
	}
	want, got := pagesOf(t, p, self)
	if got == nil || !slices.Equal(got, want) || zeros != 0 {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(want) > 0 && want[0].kbytes[private] < pages/3*4 {
		t.Errorf("only %v", want)
	}
}

// TestPagesDiffer has numa_maps say something else: it is read for all processes.
func TestPagesDiffer(t *testing.T) {
	p, self := counting(t), int32(os.Getpid())
	if maps, err := p.read(self, "maps"); err != nil || p.pages.count(p.Root, self, maps) == nil {
		t.Skipf("the kernel counts no pages here: %v", err)
	}
	p.pages.node = " N77="
	text, err := p.read(self, "numa_maps")
	if err != nil || slices.ContainsFunc(nodesOf(text), func(n memoryNode) bool { return n.number == 77 }) {
		t.Errorf("got %.300s, %v", text, err)
	}
	if p.pages.node != "" || p.pages.trusted {
		t.Errorf("pages are counted as before: %q", p.pages.node)
	}
}

// TestPagesUnknown asks for pages where the kernel does not count them.
func TestPagesUnknown(t *testing.T) {
	p := counting(t)
	none := func(uint64, uint64) { t.Error("a page") }
	for name, want := range map[string]error{"proc/self/stat": syscall.ENOTTY, "proc/" + strconv.Itoa(1<<30) + "/pagemap": syscall.ENOENT} {
		if err := p.Root.Pages(name, 4096, 8192, none); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	for list, want := range map[string]string{"0\n": " N0=", "12": " N12=", "0-1\n": "", "0,2\n": "", "\n": "", "": ""} {
		if got := onlyNode([]byte(list)); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
	for _, c := range []struct {
		maps string
		ok   bool
		want []area
	}{
		{"", false, nil},
		{"1000-2000 r--p 00000000 fe:00 5      /usr/lib/a b\n3000-5000 rw-p 00000000 00:00 0 \n", true, nil},
		{"1000-2000 rw-p 00000000 00:00 0      [heap]\n3000-5000 rw-p 00000000 00:00 0 [stack]\n", true, []area{{0x1000, 0x2000, 1}, {0x3000, 0x5000, 2}}},
		{"1000-2000 r-xp 00000000 00:00 0      [vdso]\n3000-4000 r--p 00000000 00:00 0 [vvar]\nff00-ff10 --xp 0 0 0 [vsyscall]\n", true, []area{{0x1000, 0x2000, uncounted}}},
		{"1000-2000 rw-p 00000000 00:00 0      [anon:x y]\n", true, nil},
		{"1000-2000 rw-p 00000000 00:00 0      [other]\n", false, nil},
		{"1000-2000 rw-s 00000000 00:06 5      /dev/dri/card0\n", false, nil},
		{"1000-2000 rw-s 00000000 00:06 5      anon_inode:kvm-vcpu:0\n", false, nil},
		{"1000-2000 r--p 0 0 0\nx\n", false, nil},
		{"x-y r--p\n", false, nil},
	} {
		var p pageCounter
		if start, end, ok := p.find([]byte(c.maps)); ok != c.ok || !slices.Equal(p.areas, c.want) || ok && (start != 0x1000 || end < 0x2000) {
			t.Errorf("%q: %x to %x, %t, %v", c.maps, start, end, ok, p.areas)
		}
	}
}
