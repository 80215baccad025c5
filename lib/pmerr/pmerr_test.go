package pmerr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	_ "pmtools/test/env"
)

func TestCodeError(t *testing.T) {
	tests := []struct {
		name string
		code Code
		want string
	}{
		{"success", 0, "No error"},
		{"positive", 1, "No such PMAPI error code (1)"},
		{"positive of a code", 12357, "No such PMAPI error code (12357)"},
		{"EPERM", -1, "Operation not permitted"},
		{"ENOENT", ENOENT, "No such file or directory"},
		{"EINVAL", EINVAL, "Invalid argument"},
		{"ERANGE", -34, "Numerical result out of range"},
		{"hole at 41", -41, "Unknown error 41"},
		{"hole at 58", -58, "Unknown error 58"},
		{"EAGAIN", -11, "Resource temporarily unavailable"},
		{"ETIMEDOUT", -110, "Connection timed out"},
		{"ECONNREFUSED", -111, "Connection refused"},
		{"EHOSTUNREACH", -113, "No route to host"},
		{"last errno", -133, "Memory page has hardware error"},
		{"last errno that is not in the C library's list", -200, "Unknown error 200"},
		{"end of the system's range", -12344, "Unknown error 12344"},
		{"first code", Generic, "Generic error, already reported above"},
		{"retired", -12352, "No such PMAPI error code (-12352)"},
		{"retired", -12403, "No such PMAPI error code (-12403)"},
		{"after the codes", -12446, "No such PMAPI error code (-12446)"},
		{"between", -13000, "No such PMAPI error code (-13000)"},
		{"agent not ready", -13394, "PMDA is not yet ready to respond to requests"},
		{"agent ready", -13393, "PMDA is now responsive to requests"},
		{"before NYI", -21343, "No such PMAPI error code (-21343)"},
		{"NYI", -21344, "Functionality not yet implemented"},
		{"SASL first", -21345, "Authentication - generic failure"},
		{"SASL authentication", -21357, "Authentication - authentication failure"},
		{"SASL hole", -21369, "Authentication - undefined error!"},
		{"SASL last", -21376, "Authentication - channel binding failure"},
		{"SASL after last", -21377, "Authentication - undefined error!"},
		{"SASL configuration", -21444, "Authentication - error when parsing configuration file"},
		{"SASL end of range", -22344, "Authentication - undefined error!"},
		{"TLS first", -22345, "Unknown secure sockets error -22345 (-1001)"},
		{"TLS", -99999, "Unknown secure sockets error -99999 (-78655)"},
		{"smallest", -2147483648, "Unknown secure sockets error -2147483648 (-2147462304)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.code.Error(); got != tt.want {
				t.Errorf("Code(%d).Error() = %q, want %q", tt.code, got, tt.want)
			}
		})
	}
}

// TestTable checks every code against the reference's list: number, name, text.
func TestTable(t *testing.T) {
	tests := []struct {
		code int32
		name string
		text string
	}{
		{-12345, "PM_ERR_GENERIC", "Generic error, already reported above"},
		{-12346, "PM_ERR_PMNS", "Problems parsing PMNS definitions"},
		{-12347, "PM_ERR_NOPMNS", "PMNS not accessible"},
		{-12348, "PM_ERR_DUPPMNS", "Attempt to reload the PMNS"},
		{-12349, "PM_ERR_TEXT", "One-line or help text is not available"},
		{-12350, "PM_ERR_APPVERSION", "Metric not supported by this version of monitored application"},
		{-12351, "PM_ERR_VALUE", "Missing metric value(s)"},
		{-12353, "PM_ERR_TIMEOUT", "Timeout waiting for a response from PMCD"},
		{-12354, "PM_ERR_NODATA", "Empty archive file"},
		{-12355, "PM_ERR_RESET", "PMCD reset or configuration change"},
		{-12357, "PM_ERR_NAME", "Unknown metric name"},
		{-12358, "PM_ERR_PMID", "Unknown or illegal metric identifier"},
		{-12359, "PM_ERR_INDOM", "Unknown or illegal instance domain identifier"},
		{-12360, "PM_ERR_INST", "Unknown or illegal instance identifier"},
		{-12397, "PM_ERR_TYPE", "Unknown or illegal metric type"},
		{-12361, "PM_ERR_UNIT", "Illegal pmUnits specification"},
		{-12362, "PM_ERR_CONV", "Impossible value or scale conversion"},
		{-12363, "PM_ERR_TRUNC", "Truncation in value conversion"},
		{-12364, "PM_ERR_SIGN", "Negative value in conversion to unsigned"},
		{-12365, "PM_ERR_PROFILE", "Explicit instance identifier(s) required"},
		{-12366, "PM_ERR_IPC", "IPC protocol failure"},
		{-12414, "PM_ERR_TLS", "TLS protocol failure"},
		{-12368, "PM_ERR_EOF", "IPC channel closed"},
		{-12369, "PM_ERR_NOTHOST", "Operation requires context with host source of metrics"},
		{-12370, "PM_ERR_EOL", "End of PCP archive"},
		{-12371, "PM_ERR_MODE", "Illegal mode specification"},
		{-12372, "PM_ERR_LABEL", "Illegal label record at start of a PCP archive file"},
		{-12373, "PM_ERR_LOGREC", "Corrupted record in a PCP archive"},
		{-12375, "PM_ERR_LOGFILE", "Missing PCP archive file"},
		{-12374, "PM_ERR_NOTARCHIVE", "Operation requires context with archive source of metrics"},
		{-12376, "PM_ERR_NOCONTEXT", "Attempt to use an illegal context"},
		{-12377, "PM_ERR_PROFILESPEC", "NULL pmInDom with non-NULL instlist"},
		{-12378, "PM_ERR_PMID_LOG", "Metric not defined in the PCP archive"},
		{-12379, "PM_ERR_INDOM_LOG", "Instance domain identifier not defined in the PCP archive"},
		{-12380, "PM_ERR_INST_LOG", "Instance identifier not defined in the PCP archive"},
		{-12381, "PM_ERR_NOPROFILE", "Missing profile - protocol botch"},
		{-12386, "PM_ERR_NOAGENT", "No PMCD agent for domain of request"},
		{-12387, "PM_ERR_PERMISSION", "No permission to perform requested operation"},
		{-12388, "PM_ERR_CONNLIMIT", "PMCD connection limit for this host exceeded"},
		{-12389, "PM_ERR_AGAIN", "Try again. Information not currently available"},
		{-12390, "PM_ERR_ISCONN", "Already Connected"},
		{-12391, "PM_ERR_NOTCONN", "Not Connected"},
		{-12392, "PM_ERR_NEEDPORT", "A non-null port name is required"},
		{-12394, "PM_ERR_NONLEAF", "Metric name is not a leaf in PMNS"},
		{-13394, "PM_ERR_PMDANOTREADY", "PMDA is not yet ready to respond to requests"},
		{-13393, "PM_ERR_PMDAREADY", "PMDA is now responsive to requests"},
		{-12442, "PM_ERR_BOTCH", "Internal inconsistency detected or assertion failed"},
		{-12443, "PM_ERR_TOOSMALL", "Insufficient elements in list"},
		{-12444, "PM_ERR_TOOBIG", "Result size exceeded"},
		{-12445, "PM_ERR_FAULT", "QA fault injected"},
		{-12398, "PM_ERR_THREAD", "Operation not supported for multi-threaded applications"},
		{-12399, "PM_ERR_NOCONTAINER", "Container not found"},
		{-12400, "PM_ERR_BADSTORE", "Bad input to pmstore"},
		{-12401, "PM_ERR_LOGOVERLAP", "Archives overlap in time"},
		{-12402, "PM_ERR_LOGHOST", "Archives differ by host"},
		{-12404, "PM_ERR_LOGCHANGETYPE", "The type of a metric has changed in an archive"},
		{-12405, "PM_ERR_LOGCHANGESEM", "The semantics of a metric has changed in an archive"},
		{-12406, "PM_ERR_LOGCHANGEINDOM", "The instance domain of a metric has changed in an archive"},
		{-12407, "PM_ERR_LOGCHANGEUNITS", "The units of a metric have changed in an archive"},
		{-12408, "PM_ERR_NEEDCLIENTCERT", "PMCD requires a client certificate"},
		{-12409, "PM_ERR_BADDERIVE", "Derived metric definition failed"},
		{-12410, "PM_ERR_NOLABELS", "No support for metric label metadata"},
		{-12411, "PM_ERR_PMDAFENCED", "PMDA is currently fenced and unable to respond to requests"},
		{-12412, "PM_ERR_RECTYPE", "Incorrect record type in an archive"},
		{-12413, "PM_ERR_FEATURE", "Archive feature not supported"},
		{-12415, "PM_ERR_ARG", "Bad value for function argument"},
		{-21344, "PM_ERR_NYI", "Functionality not yet implemented"},
	}
	all := slices.Collect(All())
	if len(all) != len(tests) {
		t.Fatalf("All yields %d codes, want %d", len(all), len(tests))
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := all[i]
			if int32(c) != tt.code || c.Name() != tt.name || c.Error() != tt.text {
				t.Errorf("code %d is %d %s %q, want %d %s %q", i, c, c.Name(), c.Error(), tt.code, tt.name, tt.text)
			}
		})
	}
}

func TestCodesAreUnique(t *testing.T) {
	seen := make(map[Code]bool)
	for c := range All() {
		if seen[c] {
			t.Errorf("code %d occurs twice", c)
		}
		seen[c] = true
	}
}

func TestAllStops(t *testing.T) {
	n := 0
	for range All() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("stopped after %d codes, want 3", n)
	}
}

func TestNameOfOthers(t *testing.T) {
	for _, c := range []Code{0, 1, ENOENT, -12352, -21345} {
		if got := c.Name(); got != "" {
			t.Errorf("Code(%d).Name() = %q, want none", c, got)
		}
	}
}

func TestOf(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want Code
	}{
		{"nil", nil, 0},
		{"code", PMID, PMID},
		{"wrapped code", fmt.Errorf("looking: %w", fmt.Errorf("deeper: %w", Name)), Name},
		{"joined, the first counts", errors.Join(io.EOF, Conv, Type), Conv},
		{"file that is not there", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, ENOENT},
		{"portable not exist", fs.ErrNotExist, ENOENT},
		{"no permission", &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, -13},
		{"connection refused", os.NewSyscallError("connect", syscall.ECONNREFUSED), -111},
		{"connection reset", syscall.ECONNRESET, -104},
		{"invalid", syscall.EINVAL, EINVAL},
		{"deadline of a context", context.DeadlineExceeded, Timeout},
		{"deadline of a connection", os.ErrDeadlineExceeded, Timeout},
		{"anything else", errors.New("anything"), Generic},
		{"end of file", io.EOF, Generic},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Of(tt.err); got != tt.want {
				t.Errorf("Of(%v) = %d, want %d", tt.err, got, tt.want)
			}
		})
	}
}

func TestIs(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		target error
		want   bool
	}{
		{"itself", PMID, PMID, true},
		{"itself, wrapped", fmt.Errorf("x: %w", PMID), PMID, true},
		{"another", PMID, Name, false},
		{"no such file", ENOENT, fs.ErrNotExist, true},
		{"no such name", Name, fs.ErrNotExist, true},
		{"no such metric", PMID, fs.ErrNotExist, true},
		{"no such metric in the archive", PMIDLog, fs.ErrNotExist, true},
		{"a domain is not a name", InDom, fs.ErrNotExist, false},
		{"refused by the daemon", Permission, fs.ErrPermission, true},
		{"refused by the system", Code(-13), fs.ErrPermission, true},
		{"not permitted", Code(-1), fs.ErrPermission, true},
		{"timeout", Timeout, os.ErrDeadlineExceeded, true},
		{"wrapped timeout", fmt.Errorf("x: %w", Timeout), os.ErrDeadlineExceeded, true},
		{"no timeout", IPC, os.ErrDeadlineExceeded, false},
		{"end of file is something else", EOF, io.EOF, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errors.Is(tt.err, tt.target); got != tt.want {
				t.Errorf("errors.Is(%v, %v) = %v, want %v", tt.err, tt.target, got, tt.want)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	for want, err := range map[string]error{
		"Unknown metric name":       fmt.Errorf("x: %w", Name),
		"No such file or directory": &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
		"something else":            errors.New("something else"),
	} {
		if got := Message(err); got != want {
			t.Errorf("Message(%v) = %q, want %q", err, got, want)
		}
	}
}
