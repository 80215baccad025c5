package derive

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sparkEngine is Apache Spark in one process, which the program test/peer/spark.py drives: PMTOOLS_SPARK names a
// Python that has pyspark, and PMTOOLS_SPARK_VERSION and PMTOOLS_SPARK_ANSI say which Spark must run (make engines sets them).
func sparkEngine(t *testing.T, dir string) *engine {
	e := &engine{name: "Spark", dialect: "spark", rows: "SELECT time, inst, value FROM (\n%s) AS q",
		ofHosts: "SELECT time, concat(host, ' ', coalesce(inst, -1)), value FROM (\n%s) AS q"}
	if os.Getenv("PMTOOLS_SPARK") == "" {
		e.skip = "PMTOOLS_SPARK does not name a Python with pyspark"
		return e
	}
	e.run = func(queries []string) ([]byte, error) { return runSpark(t, dir, "local[2]", queries, func(string) {}) }
	return e
}

// runSpark runs queries on a cluster, and calls progress with what has been printed so far.
func runSpark(t *testing.T, dir, master string, queries []string, progress func(sofar string)) ([]byte, error) {
	script, err := filepath.Abs("../spark.py")
	if err != nil {
		t.Fatal(err)
	}
	var in, out, bad bytes.Buffer
	for i, q := range queries {
		fmt.Fprintf(&in, "@query %d\n%s\n", i, q)
	}
	cmd := exec.Command(os.Getenv("PMTOOLS_SPARK"), script)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = dir, append(os.Environ(), "SPARK_MASTER="+master), &in, &bad
	cmd.Stdout = writer(func(b []byte) { out.Write(b); progress(out.String()) })
	if err := cmd.Run(); err != nil {
		return bad.Bytes(), err
	}
	return out.Bytes(), nil
}

type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

// sparkCluster is Spark on a cluster, of which a worker is killed while the third query runs.
func sparkCluster(t *testing.T, dir string) *engine {
	e := sparkEngine(t, dir)
	if e.name = "SparkCluster"; e.skip != "" {
		return e
	}
	e.run = func(queries []string) ([]byte, error) {
		master, workers := startCluster(t, dir)
		killed := false
		out, err := runSpark(t, dir, master, queries, func(sofar string) {
			if !killed && strings.Contains(sofar, "@query 2\n") {
				killed = true
				time.Sleep(500 * time.Millisecond) // the query begins
				_ = workers[0].Process.Kill()
			}
		})
		if err == nil && !killed {
			t.Error("no worker was killed")
		}
		return out, err
	}
	return e
}

// startCluster starts a cluster of a master and three workers, processes on the loopback address, which end with the test.
func startCluster(t *testing.T, dir string) (master string, workers []*exec.Cmd) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	master = "spark://127.0.0.1:" + port
	sparkClass(t, dir, "master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0")
	for range 3 {
		workers = append(workers, sparkClass(t, dir, "worker.Worker", "--host", "127.0.0.1", "-c", "1", "-m", "1g", "--webui-port", "0", master))
	}
	return master, workers
}

// sparkClass starts a daemon of Spark, which ends with the test.
func sparkClass(t *testing.T, dir, class string, args ...string) *exec.Cmd {
	t.Helper()
	home, err := exec.Command(os.Getenv("PMTOOLS_SPARK"), "-c", "import pyspark, os; print(os.path.dirname(pyspark.__file__))").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(strings.TrimSpace(string(home)), "bin/spark-class"), append([]string{"org.apache.spark.deploy." + class}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SPARK_WORKER_DIR="+t.TempDir(), "SPARK_LOCAL_DIRS="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	return cmd
}
