//go:build unix && !solaris && !illumos && !aix

package remotewrite

import "os"

func current(f *os.File, dir string) bool {
	mine, err := f.Stat()
	now, e := os.Stat(dir)
	return err == nil && e == nil && os.SameFile(mine, now)
}

func syncDir(f *os.File) error { return f.Sync() }

func release(f *os.File, dir string) error {
	_ = os.Remove(dir)
	return f.Close()
}
