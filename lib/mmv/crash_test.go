package mmv_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pmtools/lib/mmv"
	_ "pmtools/test/env"
)

// registering is the variable that makes the test's program one that registers until it is killed.
const registering = "PMTOOLS_TEST_REGISTER_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(registering); dir != "" {
		registerForever(dir)
	}
	if mode, dir, found := strings.Cut(os.Getenv(updating), " "); found {
		updateForever(dir, mode == "register")
	}
	os.Exit(m.Run())
}

// registerForever registers metrics of which each is given its number as value, and prints how many
// there are.
func registerForever(dir string) {
	for {
		r, err := mmv.Create("acme", mmv.Options{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return
		}
		for i := range 20 {
			mmv.Gauge[int64](r, fmt.Sprint("m", i), mmv.Help(strings.Repeat("h", 255))).Set(int64(i))
			fmt.Println(i)
		}
		if r.Err() != nil || r.Close() != nil {
			fmt.Println(r.Err())
			return
		}
	}
}

// TestKill kills programs while they register metrics, 1,000 times in all. The file that each
// program leaves can be read, and is right.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts programs")
	}
	dir := t.TempDir()
	path, rewrites := filepath.Join(dir, "acme"), 0
	for i := 0; rewrites < 1000; i++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), registering+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 40+7*i && lines.Scan(); n++ {
			if _, err := strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(lines.Text())
			}
			rewrites++
			if n%16 == 0 {
				checkFile(t, path)
			}
		}
		time.Sleep(time.Duration(i) * 100 * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		checkFile(t, path)
	}
}

// checkFile reads a file: its values are what registerForever makes them.
func checkFile(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(b)
	if errors.Is(err, mmv.ErrChanging) {
		return // another file has come for it since it was opened
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Values {
		v, err := f.Value(b, &f.Values[i], time.Now())
		if err != nil {
			t.Fatalf("%s is %d, error %v", f.Metrics[i].Name, v.Word(), err)
		} else if f.Metrics[i].Name != fmt.Sprint("m", i) || v.Word() != 0 && v.Word() != uint64(i) || len(f.Metrics[i].OneLine) != 255 {
			t.Fatalf("%s is %d, error %v", f.Metrics[i].Name, v.Word(), err)
		}
	}
}
