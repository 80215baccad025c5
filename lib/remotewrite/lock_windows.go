package remotewrite

import "os"

// current: a directory with an open file keeps its name.
func current(*os.File, string) bool { return true }

// syncDir: the names in a directory cannot be written to the disk one by one.
func syncDir(*os.File) error { return nil }

func release(f *os.File, dir string) error {
	err := f.Close()
	_ = os.Remove(f.Name())
	_ = os.Remove(dir)
	return err
}
