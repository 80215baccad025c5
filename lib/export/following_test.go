package export

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pmapi"
)

// following returns what follows the archives below dir.
func following(dir, out string, by Partition) *Following {
	x := &Following{Dir: dir, Every: time.Millisecond, Poll: time.Millisecond, Workers: 2, Tell: func(error) {}, Sum: func(*Summary) {}}
	x.Job = func(name string, open func(context.Context, Opener) (*Records, error)) *Job {
		return &Job{Config: &Config{Dir: out, Name: NameOf(name), Partition: by}, Open: func(ctx context.Context) (pmapi.Source, *Records, error) {
			recs, err := open(ctx, func(ctx context.Context) (pmapi.Source, error) { return pmapi.OpenArchive(ctx, name, nil) })
			return recs, recs, err
		}}
	}
	return x
}

// A chase is a rotation that is followed meanwhile, by a process that is interrupted and killed.
type chase struct {
	*rotation
	top  string // the directory above that of the archives
	stop func()
}

const chased = "PMTOOLS_TEST_FOLLOW"

// TestFollowingChild is the process of a chase.
func TestFollowingChild(t *testing.T) {
	dirs := strings.Split(os.Getenv(chased), "\n")
	if len(dirs) != 3 {
		t.Skip("only a part of TestFollowing")
	}
	following(dirs[0], dirs[1], Partition{NoHost: dirs[2] == "true"}).Run(t.Context())
}

// begin follows the directory, in a process or in a goroutine.
func (c *chase) begin() {
	if c.rnd.IntN(3) == 0 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFollowingChild$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%v", chased, c.top, c.out, c.by.NoHost))
		c.must(cmd.Start())
		c.say("follow in a process")
		c.stop = func() {
			time.Sleep(time.Duration(c.rnd.IntN(100)) * time.Millisecond)
			c.must(cmd.Process.Kill())
			cmd.Wait()
			c.say("kill it")
		}
		return
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan bool)
	c.say("follow")
	go func() {
		following(c.top, c.out, c.by).Run(ctx)
		close(done)
	}()
	c.stop = func() {
		time.Sleep(time.Duration(c.rnd.IntN(10)) * time.Millisecond)
		cancel()
		<-done
		c.say("end")
	}
}

// settle lets all be exported, and compares it with all that was recorded.
func (c *chase) settle() {
	c.stop()
	x := following(c.top, c.out, c.by)
	x.Idle, x.quiet = 10*time.Millisecond, time.Duration(1+c.rnd.IntN(2)*1e9)
	c.must(errors.Join(x.Run(c.t.Context())...))
	for _, a := range c.archives {
		for _, l := range recorded(c.t, filepath.Join(c.dir, a.name)) {
			c.exported[l] = true
		}
	}
	c.say("settled")
	c.compare()
	c.begin()
}

// compact merges the files of the tables meanwhile, if there are some and directories can be exchanged.
func (c *chase) compact() {
	done, err := Compact(c.t.Context(), c.out, false)
	if errors.Is(err, errors.ErrUnsupported) || err != nil && strings.Contains(err.Error(), "not tables that export has written") {
		return
	}
	c.must(err)
	c.say("compact %d directories, %d left", done.Dirs, len(done.Left))
}

func (c *chase) step() {
	switch n := c.rnd.IntN(15); {
	case n == 0:
		c.roll()
	case n == 1:
		c.merge()
	case n == 2 && len(c.archives) > 3:
		c.settle()
		c.say("remove %s", c.archives[0].name)
		c.remove(c.archives[0].name)
		c.archives = c.archives[1:]
	case n == 3:
		a := c.archives[c.rnd.IntN(len(c.archives))]
		c.say("pack %s", a.name)
		c.pack(a)
	case n == 4:
		c.rename()
	case n == 5:
		c.swap()
	case n == 6:
		c.settle()
	case n == 8:
		c.compact()
	case n == 7:
		c.stop()
		c.begin()
	default:
		c.grow()
		time.Sleep(time.Duration(c.rnd.IntN(4)) * time.Millisecond)
	}
}

// TestFollowing lets archives grow, roll, merge, disappear, be packed and renamed while they are followed by
// processes that end and are killed, and their tables are compacted beside them: each recorded value is in the tables exactly once. PMTOOLS_RUNS is the
// number of steps, PMTOOLS_SEED that of the first history of 60 steps.
func TestFollowing(t *testing.T) {
	steps := number("PMTOOLS_RUNS", 60)
	for seed := number("PMTOOLS_SEED", 1); steps > 0; seed, steps = seed+1, steps-60 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			top := t.TempDir()
			r := &rotation{t: t, by: Partition{NoHost: seed%2 == 0}, rnd: rand.New(rand.NewPCG(uint64(seed), 28)), dir: filepath.Join(top, "h"), out: t.TempDir(), at: 1700000000e9, exported: make(map[string]bool)}
			c := &chase{rotation: r, top: top}
			c.live = true
			c.begin()
			c.must(os.Mkdir(r.dir, 0o777)) // a host that appears later
			c.roll()
			for range min(steps, 60) {
				c.step()
			}
			c.settle()
			c.stop()
			if n := len(r.exported); steps >= 60 && n < 10 {
				t.Errorf("only %d values", n)
			}
		})
	}
}

// BenchmarkLook is the cost of a look at 1,000 hosts, each with an archive, of which nothing has changed.
func BenchmarkLook(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		host := filepath.Join(dir, fmt.Sprint("host", i))
		if err := os.Mkdir(host, 0o777); err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"20240101.00.10.meta", "20240101.00.10.index", "20240101.00.10.0"} {
			if err := os.WriteFile(filepath.Join(host, name), nil, 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	l := newListing(dir, "", time.Hour)
	later := time.Now().Add(time.Minute)
	l.look(later)
	for b.Loop() {
		l.look(later)
	}
	if n := len(l.folders); n != 1001 {
		b.Errorf("%d directories", n)
	}
}
