package mmv_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pmtools/lib/mmv"
)

// TestCreateErrors has names, options and directories that cannot be used.
func TestCreateErrors(t *testing.T) {
	dir := tempDir(t)
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    mmv.Options
		is   error
		want string
	}{
		{"", mmv.Options{Dir: dir}, mmv.ErrName, "letters"},
		{".acme", mmv.Options{Dir: dir}, mmv.ErrName, "does not begin with a dot"},
		{"a/b", mmv.Options{Dir: dir}, mmv.ErrName, "a/b"},
		{"a b", mmv.Options{Dir: dir}, mmv.ErrName, ""},
		{strings.Repeat("a", 64), mmv.Options{Dir: dir}, mmv.ErrName, "less than 64"},
		{"acme", mmv.Options{Dir: dir, Cluster: 2048}, nil, "cluster 2048 is not in 0..2047"},
		{"acme", mmv.Options{Dir: dir, Cluster: -1}, nil, "cluster -1"},
		{"acme", mmv.Options{Dir: dir, Flags: 8}, nil, "unknown flags 0x8"},
		{"acme", mmv.Options{Dir: filepath.Join(dir, "none")}, fs.ErrNotExist, "none"},
		{"acme", mmv.Options{Dir: plain}, nil, "plain"},
		{"taken", mmv.Options{Dir: dir}, nil, "taken"},
	} {
		r, err := mmv.Create(c.name, c.o)
		if r != nil || err == nil {
			t.Errorf("%q %+v: error %v", c.name, c.o, err)
		} else if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %+v: error %v", c.name, c.o, err)
		}
	}
	left, err := os.ReadDir(dir)
	if windows := runtime.GOOS == "windows"; err != nil || len(left) != 2 && !windows { // where it is still mapped
		t.Errorf("what is left: %v, %v", left, err)
	}
	if os.Getuid() > 0 {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o777) // so that it can be removed
		if _, err := mmv.Create("acme", mmv.Options{Dir: dir}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("without permission: %v", err)
		}
	}
	t.Setenv("PCP_TMP_DIR", dir)
	if _, err := mmv.Create("acme", mmv.Options{}); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
		t.Errorf("PCP's directory: %v", err)
	}
}

// TestRegisterErrors makes mistakes with registrations. Each is an error of Err, and what is returned
// can be used.
func TestRegisterErrors(t *testing.T) {
	long := strings.Repeat("x", 256)
	for _, c := range []struct {
		name string
		f    func(r *mmv.Registry)
		is   error
		want string
	}{
		{"name", func(r *mmv.Registry) { mmv.Gauge[int32](r, "a-b").Set(1) }, mmv.ErrName, `metric "a-b"`},
		{"empty name", func(r *mmv.Registry) { mmv.Text(r, "").Set("x") }, mmv.ErrName, `metric ""`},
		{"empty part", func(r *mmv.Registry) { mmv.Timer(r, "a..b").Start()() }, mmv.ErrName, "a..b"},
		{"long name", func(r *mmv.Registry) { mmv.Gauge[int32](r, long).Add(1) }, mmv.ErrTooLong, "256 bytes of at most 255"},
		{"same name", func(r *mmv.Registry) { mmv.Gauge[int32](r, "there") }, mmv.ErrDuplicate, `"there"`},
		{"below a metric", func(r *mmv.Registry) { mmv.Gauge[int32](r, "there.too") }, mmv.ErrName, `there is "there"`},
		{"above a metric", func(r *mmv.Registry) { mmv.Gauge[int32](r, "up") }, mmv.ErrName, `there is "up.down"`},
		{"same item", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.ID(1)) }, mmv.ErrDuplicate, "number 1"},
		{"item", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.ID(1024)) }, nil, "number 1024 is not in 0..1023"},
		{"long help", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Help(long)) }, mmv.ErrTooLong, "256 bytes"},
		{"long text", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Help("", long)) }, mmv.ErrTooLong, "256 bytes"},
		{"NUL", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Help("a\x00b")) }, mmv.ErrName, "byte 0"},
		{"units", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Units("furlong")) }, nil, `units "furlong"`},
		{"factor", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Units("10 sec")) }, nil, "factor"},
		{"units of a timer", func(r *mmv.Registry) { mmv.Timer(r, "m", mmv.Units("sec")) }, nil, "no meaning"},
		{"a discrete timer", func(r *mmv.Registry) { mmv.Timer(r, "m", mmv.Discrete()) }, nil, "no meaning"},
		{"per of a domain", func(r *mmv.Registry) { r.Domain(mmv.Per(r.Domain())) }, nil, "no meaning"},
		{"no domain", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Per(nil)) }, nil, "no meaning"},
		{"domain of another", func(r *mmv.Registry) {
			other, _ := create(t, mmv.Options{})
			mmv.Gauge[int32](r, "m", mmv.Per(other.Domain())).At("x").Set(1)
		}, nil, "another registry"},
		{"serial 0", func(r *mmv.Registry) { r.Domain(mmv.ID(0)).Add("a") }, nil, "number 0 is not in 1..2047"},
		{"same serial", func(r *mmv.Registry) { r.Domain(); r.Domain(mmv.ID(1)).Instance(1, "a") }, mmv.ErrDuplicate, "domain"},
		{"instance without a name", func(r *mmv.Registry) { r.Domain().Add("") }, mmv.ErrName, "a name"},
		{"long instance", func(r *mmv.Registry) { mmv.Gauge[int32](r, "m", mmv.Per(r.Domain())).At(long).Set(1) }, mmv.ErrTooLong, "256 bytes"},
		{"same instance", func(r *mmv.Registry) { r.Domain().Add("a").Instance(5, "a") }, mmv.ErrDuplicate, `5 "a"`},
		{"same number", func(r *mmv.Registry) { r.Domain().Add("a").Instance(0, "b") }, mmv.ErrDuplicate, `0 "b"`},
		{"units of an instance", func(r *mmv.Registry) { r.Domain().Instance(0, "b", mmv.Units("sec")) }, nil, "no meaning"},
		{"help of an instance", func(r *mmv.Registry) { r.Domain().Instance(0, "b", mmv.Help("x")) }, nil, "no meaning"},
		{"no instances", func(r *mmv.Registry) { mmv.Text(r, "m").At("a").Set("x") }, nil, "without Per"},
		{"label", func(r *mmv.Registry) { r.Label("1st", 1) }, mmv.ErrName, `"1st"`},
		{"label with a dot", func(r *mmv.Registry) { r.Label("a.b", 1) }, mmv.ErrName, `"a.b"`},
		{"no JSON", func(r *mmv.Registry) { r.Label("a", make(chan int)) }, nil, "chan int"},
		{"long label", func(r *mmv.Registry) { mmv.Text(r, "m", mmv.Labeled("a", long)) }, mmv.ErrTooLong, "at most 243"},
		{"many labels", func(r *mmv.Registry) {
			r.Batch(func() {
				for i := range 256 {
					r.Label("a", i)
				}
			})
		}, mmv.ErrFull, "at most 255 labels"},
		{"all numbers", func(r *mmv.Registry) {
			r.Batch(func() {
				mmv.Gauge[int32](r, "zero", mmv.ID(0))
				for i := range 1021 {
					mmv.Gauge[int32](r, fmt.Sprint("m", i), mmv.ID(i+3))
				}
			})
		}, mmv.ErrFull, "at most 1023 metrics"},
		{"many metrics", func(r *mmv.Registry) {
			r.Batch(func() {
				for i := range 1022 {
					mmv.Gauge[int32](r, fmt.Sprint("m", i))
				}
			})
		}, mmv.ErrFull, "numbers up to 1023"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, path := create(t, mmv.Options{})
			mmv.Gauge[int32](r, "there").Set(3)
			mmv.Gauge[int32](r, "up.down")
			c.f(r)
			if err := r.Err(); err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %v and %q", err, c.is, c.want)
			} else if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "mmv: acme: ") {
				t.Errorf("error %v, want %v and %q", err, c.is, c.want)
			}
			if _, values := read(t, path); values["there"] != int64(3) {
				t.Errorf("the file has %v", values)
			}
		})
	}
}

// TestNoRegistry uses what a program has that did not look at the error of Create.
func TestNoRegistry(t *testing.T) {
	var r *mmv.Registry
	d := r.Domain(mmv.ID(1)).Add("a").Instance(7, "b")
	n := mmv.Counter[uint64](r, "n", mmv.Per(d))
	n.At("a").Add(2)
	n.At("b").Set(3)
	mmv.Text(r, "text").Set("x")
	mmv.Timer(r, "timer").Start()()
	r.Label("a", 1)
	r.Batch(func() { mmv.Gauge[float64](r, "load").Clear() })
	if n.At("a").Get() != 2 || r.Err() != nil || r.Close() != nil {
		t.Errorf("a is %d, errors %v, %v", n.At("a").Get(), r.Err(), r.Close())
	}
}

// TestWriteErrors takes the directory away while a program registers, and gives it back: what was
// registered meanwhile appears with the next registration, and no value is lost.
func TestWriteErrors(t *testing.T) {
	r, path := create(t, mmv.Options{})
	n := mmv.Counter[uint64](r, "n")
	n.Add(1)
	dir := filepath.Dir(path)
	if err := os.Rename(dir, dir+"x"); err != nil {
		t.Skip(err) // Windows: the file is mapped
	}
	between := mmv.Counter[uint64](r, "between")
	between.Add(5)
	n.Add(1)
	if err := r.Err(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if err := os.Rename(dir+"x", dir); err != nil {
		t.Fatal(err)
	}
	mmv.Counter[uint64](r, "after").Add(7)
	between.Add(1)
	if _, values := read(t, path); fmt.Sprint(values) != "map[after:7 between:6 n:2]" {
		t.Errorf("the file has %v", values)
	}
}

// TestSweep removes what a process left that ended while it wrote, long ago.
func TestSweep(t *testing.T) {
	dir := tempDir(t)
	old, fresh := filepath.Join(dir, ".acme.17"), filepath.Join(dir, ".acme.18")
	for _, path := range []string{old, fresh} {
		if err := os.WriteFile(path, []byte("MMV"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, info.ModTime(), info.ModTime().Add(-1e12)); err != nil {
		t.Fatal(err)
	}
	r, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the fresh one: %v", err)
	}
}

// FuzzRegister registers anything: it is an error, or the file has it as it is.
func FuzzRegister(f *testing.F) {
	f.Add("a.b", "one line", "count / sec", "inst", "label", "value", 5)
	f.Add("", "\x00", "10 sec", "", "1", "\xff", -1)
	f.Add(strings.Repeat("long", 40), strings.Repeat("x", 300), "", strings.Repeat("i", 100), "l", "<>", 1024)
	f.Fuzz(func(t *testing.T, name, help, units, inst, label, value string, id int) {
		r, path := create(t, mmv.Options{})
		d := r.Domain(mmv.About(help), mmv.Labeled(label, value)).Add(inst)
		mmv.Gauge[int64](r, name, mmv.Help(help), mmv.Units(units), mmv.Per(d), mmv.ID(id)).At(inst).Set(7)
		mmv.Text(r, mmv.NameOf(name)+"_", mmv.About(help)).Set(value)
		file, values := read(t, path)
		if r.Err() != nil {
			return
		}
		if m := file.Metrics[0]; m.Name != name || m.OneLine != help {
			t.Errorf("%+v, values %v, labels %v", m, values, file.Labels)
		} else if int(m.Item) != id || values[name+"["+inst+"]"] != int64(7) || len(file.Labels) != 1 {
			t.Errorf("%+v, values %v, labels %v", m, values, file.Labels)
		}
	})
}
