package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pmtools/test/env"
)

// BenchmarkOutput runs the command over the archive of 171 MB in docs/performance.md: 5,000 records of 2,001
// values, and over those of 20 hosts, which have 250,000 values each. It reports values per second of processor time, and
// the floors: values per second if the archives were only read, and the output only written to a file or copied in memory.
func BenchmarkOutput(b *testing.B) {
	dir := b.TempDir()
	for _, args := range [][]string{{dir, "big=5000"}, {filepath.Join(dir, "fleet"), "fleet=20"}} {
		if out, err := env.Go(append([]string{"run", "pmtools/test/mkarchive"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("mkarchive: %v\n%s", err, out)
		}
	}
	quotients := []string{"big.d01 / 3", "big.d05 / 3", "big.d09 / 3", "big.d13 / 3", "big.d17 / 3"}
	for _, bb := range []struct {
		name   string
		values float64
		args   []string
	}{
		{"summarize", 10e6, []string{"summarize", "big"}},
		{"csv", 10e6, []string{"eval", "-t", "record", "-o", "csv", "big"}},
		{"csv_digits", 2.5e6, append([]string{"eval", "-t", "record", "-o", "csv"}, quotients...)}, // 16 or 17 of them
		{"csv_wide", 10e6, []string{"eval", "-t", "record", "-o", "csv", "--wide", "big"}},
		{"json", 10e6, []string{"eval", "-t", "record", "-o", "json", "big"}},
		{"table", 10e6, []string{"eval", "-t", "record", "-o", "table", "big"}},
		{"parquet", 10e6, []string{"export", "big", "-o"}},
		{"fleet_summarize", 4.6e6, []string{"summarize", "-o", "csv", "disk"}},
		{"fleet_csv", 4.6e6, []string{"eval", "-t", "record", "-o", "csv", "disk"}},
		{"fleet_parquet", 4.6e6, []string{"export", "disk", "-o"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			in, source := filepath.Join(dir, "big.0"), filepath.Join(dir, "big")
			if strings.HasPrefix(bb.name, "fleet") {
				source = filepath.Join(dir, "fleet")
				in = filepath.Join(source, "*.0")
			}
			run := func(stdout *os.File) (spent time.Duration, files string) {
				files = b.TempDir()
				c := exec.Command("pmderive", append([]string{"-a", source}, bb.args...)...)
				if c.Stdout = stdout; strings.HasSuffix(bb.name, "parquet") {
					c.Args = append(c.Args, files)
				}
				if err := c.Run(); err != nil {
					b.Fatal(err)
				}
				return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), files
			}
			out := outputSize(b, run)
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer null.Close()
			var spent time.Duration
			for b.Loop() {
				took, _ := run(null)
				spent += took
			}
			b.ReportMetric(bb.values*float64(b.N)/spent.Seconds()/1e6, "Mvalues/cpu-s")
			perSecond := func(unit string, took time.Duration) { b.ReportMetric(bb.values/took.Seconds()/1e6, unit) }
			perSecond("read-Mvalues/s", readTime(b, in))
			if out > 1e6 {
				perSecond("file-Mvalues/s", writeTime(b, out))
				perSecond("copy-Mvalues/s", copyTime(out))
			}
		})
	}
}

// outputSize returns how much a run writes to standard output and to files.
func outputSize(b *testing.B, run func(*os.File) (time.Duration, string)) (size int64) {
	f, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	_, files := run(f)
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		b.Fatal(err)
	}
	err = filepath.WalkDir(files, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				size += info.Size()
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// readTime returns the least time that reading files takes which match a pattern.
func readTime(b *testing.B, pattern string) time.Duration {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		b.Fatal(pattern, err)
	}
	buf := make([]byte, 1<<20)
	return least(func() {
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = f.Read(buf)
			}
			f.Close()
		}
	})
}

// writeTime returns the least time that writing so many bytes to a file takes.
func writeTime(b *testing.B, size int64) time.Duration {
	buf := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	return least(func() {
		f, err := os.CreateTemp(b.TempDir(), "")
		if err != nil {
			b.Fatal(err)
		}
		defer os.Remove(f.Name())
		defer f.Close()
		for left := size; left > 0; left -= int64(len(buf)) {
			if _, err := f.Write(buf[:min(left, int64(len(buf)))]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// copyTime returns the least time that copying so many bytes in memory takes, which no cache holds.
func copyTime(size int64) time.Duration {
	from, to := bytes.Repeat([]byte("0123456789abcdef"), 4<<20), make([]byte, 64<<20)
	return least(func() {
		for left := size; left > 0; left -= int64(len(from)) {
			copy(to, from[:min(left, int64(len(from)))])
		}
	})
}

// least returns the least time of some runs: others use the machine.
func least(f func()) time.Duration {
	took := time.Duration(1<<63 - 1)
	for range 5 {
		start := time.Now()
		f()
		took = min(took, max(time.Since(start), 1))
	}
	return took
}

// BenchmarkCores runs the command over four archives of 171 MB and 10 million values each: with one processor, with two, and as two processes of one
// processor for two archives each. It reports how many times faster the second and the third are than the first: no process can be
// faster than the third. The least times count, as others use the machine.
func BenchmarkCores(b *testing.B) {
	dir := hosts(b)
	halves := []string{b.TempDir(), b.TempDir()}
	for i, name := range []string{"host1", "host2", "host3", "host4"} {
		for _, part := range archiveParts {
			if err := os.Link(filepath.Join(dir, name+part), filepath.Join(halves[i%2], name+part)); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, bb := range []struct {
		name string
		args []string
	}{
		{"summarize", []string{"summarize", "big"}},
		{"parquet", []string{"export", "big", "-o"}},
		{"csv", []string{"eval", "-t", "record", "-o", "csv", "big"}},
		{"json", []string{"eval", "-t", "record", "-o", "json", "big"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			run := func(dir, procs string) {
				c := exec.Command("pmderive", append([]string{"-a", dir}, bb.args...)...)
				c.Env = append(os.Environ(), "GOMAXPROCS="+procs)
				if bb.name == "parquet" {
					c.Args = append(c.Args, b.TempDir())
				}
				if err := c.Run(); err != nil {
					b.Error(err)
				}
			}
			for b.Loop() {
				one := least(func() { run(dir, "1") })
				two := least(func() { run(dir, "2") })
				apart := least(func() {
					var running sync.WaitGroup
					for _, half := range halves {
						running.Go(func() { run(half, "1") })
					}
					running.Wait()
				})
				b.ReportMetric(one.Seconds()/two.Seconds(), "times-faster")
				b.ReportMetric(one.Seconds()/apart.Seconds(), "times-apart")
			}
		})
	}
}

// archiveParts are how the names of an archive's files end.
var archiveParts = []string{".0", ".index", ".meta"}

// hosts writes the archive of 171 MB as that of four hosts, host1 to host4, and returns their directory.
func hosts(b *testing.B) string {
	dir := b.TempDir()
	if out, err := env.Go("run", "pmtools/test/mkarchive", dir, "big=5000").CombinedOutput(); err != nil {
		b.Fatalf("mkarchive: %v\n%s", err, out)
	}
	for _, part := range archiveParts {
		text, err := os.ReadFile(filepath.Join(dir, "big"+part))
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range "1234" {
			other := bytes.ReplaceAll(text, []byte("specbox\x00"), []byte("specbo"+string(n)+"\x00"))
			if err := os.WriteFile(filepath.Join(dir, "host"+string(n)+part), other, 0o666); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(dir, "big"+part)); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}
