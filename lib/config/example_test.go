package config_test

import (
	"fmt"
	"io"
	"strings"

	"pmtools/lib/config"
)

// A variable of the environment overrides pcp.conf; a program passes os.LookupEnv and os.Open.
func ExampleRead() {
	env := map[string]string{"PCP_CONF": "/opt/pcp.conf", "PCP_TMP_DIR": "/tmp"}
	c := config.Read(
		func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("PCP_VAR_DIR=/opt/pcp\nPCP_TMP_DIR=/var/tmp\n")), nil
		})
	fmt.Println(c.Get("PCP_VAR_DIR"), c.Get("PCP_TMP_DIR"), c.Get("PCP_RUN_DIR"), c.Derived())
	// Output: /opt/pcp /tmp /run/pcp /opt/pcp/config/derived
}
