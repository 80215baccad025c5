package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// files calls f with each file of the target in the order of names, as it lies in an archive: under
// a folder with the archive's name, owned by nobody in particular.
func (t target) files(archive string, f func(name string, mode fs.FileMode, b []byte) error) error {
	folder := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), ".zip")
	tree := os.DirFS(t.root)
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644) // whatever the umask was
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return f(path.Join(folder, name), mode, b)
	})
}

// tar writes the target as a compressed tar file.
func (t target) tar(name string) error {
	return create(name, func(w io.Writer) error {
		zw := gzip.NewWriter(w)
		tw := tar.NewWriter(zw)
		err := t.files(name, func(name string, mode fs.FileMode, b []byte) error {
			h := tar.Header{Name: name, Mode: int64(mode), Size: int64(len(b)), ModTime: t.time}
			if err := tw.WriteHeader(&h); err != nil {
				return err
			}
			_, err := tw.Write(b)
			return err
		})
		return errors.Join(err, tw.Close(), zw.Close())
	})
}

// zip writes the target as a zip file.
func (t target) zip(name string) error {
	return create(name, func(w io.Writer) error {
		zw := zip.NewWriter(w)
		err := t.files(name, func(name string, mode fs.FileMode, b []byte) error {
			h := zip.FileHeader{Name: name, Method: zip.Deflate, Modified: t.time}
			h.SetMode(mode)
			fw, err := zw.CreateHeader(&h)
			if err != nil {
				return err
			}
			_, err = fw.Write(b)
			return err
		})
		return errors.Join(err, zw.Close())
	})
}

func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
