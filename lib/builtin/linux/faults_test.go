package linux

import (
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pmda"
)

func TestFaults(t *testing.T) {
	procfstest.Faults(t, func(dir string) (*pmda.Agent, *procfs.Root) {
		l := newCollector(procfstest.Options(dir))
		return l.agent(), l.Root
	}, `\.scheduler$|^ipc\.\w+\.owner$|frequency_scaling\.count$`, "/net/tcp", "/net/tcp6")
}
