package fetchgroup

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pmtools/lib/pmcd/pmcdtest"
)

// daemonsVar is the variable that makes the test program serve that many scripted daemons.
const daemonsVar = "PMTOOLS_FLEET_DAEMONS"

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(daemonsVar)); err == nil {
		if err := serveDaemons(n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// daemonDelay is the time that daemon i takes for a fetch.
func daemonDelay(i int) time.Duration { return time.Duration(i*7%200) * time.Millisecond }

// daemonKind is the defect of daemon i: one in twenty each.
func daemonKind(i int) string { return map[int]string{3: "dead", 8: "silent", 13: "lying"}[i%20] }

// serveDaemons serves daemons on addresses of this machine alone, and prints these, until its input
// ends.
func serveDaemons(n int) error {
	for i := range n {
		address := fmt.Sprintf("127.1.%d.%d:0", i/250, i%250+1)
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		switch daemonKind(i) {
		case "dead":
			l.Close()
		case "silent": // accepts as the system does, and never answers
		default:
			l.Close()
			s := pmcdtest.NewServer(fleetWorld(i))
			edit := pmcdtest.Delay(daemonDelay(i))
			if daemonKind(i) == "lying" {
				faults := pmcdtest.Faults()
				edit = faults[i/20%len(faults)].Edit
			}
			s.SetEdit(onFetch(edit))
			if _, err := s.Listen("tcp", l.Addr().String()); err != nil {
				return err
			}
		}
		fmt.Println(l.Addr())
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// daemons starts daemons in a process of their own and returns their addresses.
func daemons(tb testing.TB, n int) []string {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", daemonsVar, n))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // its exit status does not matter any more
	})
	var hosts []string
	for s := bufio.NewScanner(out); len(hosts) < n && s.Scan(); {
		hosts = append(hosts, s.Text())
	}
	if len(hosts) != n {
		tb.Fatalf("%d daemons of %d", len(hosts), n)
	}
	return hosts
}

// A usage is the processor time and memory of this process.
type usage struct {
	cpu time.Duration
	rss int64 // bytes
}

// used returns the usage of this process.
func used(tb testing.TB) usage {
	tb.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		tb.Fatal(err)
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		tb.Fatal(err)
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return usage{time.Duration(r.Utime.Nano() + r.Stime.Nano()), pages * int64(os.Getpagesize())}
}

// BenchmarkFleet reads a thousand daemons once a second: ten metrics and a domain of 100 instances
// of each. A twentieth of them is dead, a twentieth is silent, a twentieth lies. For a minute: go test -run='^$'
// -bench=Fleet -benchtime=60x ./lib/fetchgroup
func BenchmarkFleet(b *testing.B) {
	const n, warm = 1000, 3
	hosts := daemons(b, n)
	index := make(map[string]int, n)
	for i, h := range hosts {
		index[h] = i
	}
	runtime.GC()
	start, from := used(b), usage{}
	var began time.Time
	var late []time.Duration
	rows, good, rss := 0, 0, int64(0)
	for row := range Fleet[fleetHost](b.Context(), hosts, &FleetOptions{Rounds: warm + b.N}) {
		if row.Round < warm {
			continue
		}
		if rows == 0 {
			from, began = used(b), time.Now()
		}
		if rows%n == 0 {
			rss = max(rss, used(b).rss)
		}
		if rows++; row.Err == nil {
			good++
			late = append(late, row.Late-daemonDelay(index[row.Host]))
		}
	}
	end, took := used(b), time.Since(began)
	slices.Sort(late)
	b.ReportMetric(float64(end.cpu-from.cpu)/float64(took)*100, "%cpu")
	perHost := float64(rss-start.rss) / n / 1024
	b.ReportMetric(perHost, "KB/host")
	b.ReportMetric(float64(late[len(late)/2].Microseconds())/1e3, "ms-late-p50")
	b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1e3, "ms-late-p99")
	b.ReportMetric(float64(good)/float64(b.N), "good/round")
	if perHost > 60 {
		b.Errorf("%.1f KB of each host", perHost)
	}
	if want := n * 17 / 20; rows != n*b.N || good < want*b.N*99/100 {
		b.Errorf("%d rows in %d rounds, %d good; want %d good in each", rows, b.N, good, want)
	}
}
