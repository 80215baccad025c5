package host

import (
	"os"
	"testing"

	_ "pmtools/test/env"
)

func TestAlive(t *testing.T) {
	if !Alive(os.Getpid()) || Alive(0) || Alive(-1) {
		t.Error("this process does not exist, or one without a number does")
	}
}
