package bucket

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pmtools/lib/export"
	"pmtools/lib/safefile"
)

const maxParts = 10000 // of an upload

// A stage has files in a temporary directory, and then uploads that are not complete.
type stage struct {
	bucket *Bucket
	dir    string
	mu     sync.Mutex
	stored [][2]string // uploads and their paths
}

// Stage implements export.Store.
func (b *Bucket) Stage(context.Context, string) (export.Stage, error) {
	dir, err := os.MkdirTemp("", "pmderive-export-*")
	if err != nil {
		return nil, err
	}
	return &stage{bucket: b, dir: dir}, nil
}

// Dir implements export.Stage.
func (s *stage) Dir() string { return s.dir }

// Close implements export.Stage.
func (s *stage) Close(f *safefile.File) error { return f.Close() }

// Put implements export.Stage.
func (s *stage) Put(ctx context.Context, files [][2]string) (moves [][2]string, err error) {
	moves = make([][2]string, len(files))
	index := make([]int, len(files))
	for i := range index {
		index[i] = i
	}
	err = each(ctx, index, func(ctx context.Context, i int) error {
		id, err := s.put(ctx, files[i][0], files[i][1])
		moves[i] = [2]string{uploadPath(id), files[i][1]}
		return s.bucket.failed("write", files[i][1], err)
	})
	return moves, err
}

// put uploads a file, and returns the upload.
func (s *stage) put(ctx context.Context, file, path string) (id string, err error) {
	b := s.bucket
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	out, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &b.name, Key: b.key(path), ContentType: aws.String("application/vnd.apache.parquet")})
	if err != nil {
		return "", err
	}
	id = aws.ToString(out.UploadId)
	s.mu.Lock()
	s.stored = append(s.stored, [2]string{id, path})
	s.mu.Unlock()
	b.mark(id, false)
	part := max(b.part, (info.Size()+maxParts-1)/maxParts)
	for number, at := int32(1), int64(0); at < info.Size(); number, at = number+1, at+part {
		_, err := b.client.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &b.name, Key: b.key(path), UploadId: &id, PartNumber: &number, Body: io.NewSectionReader(f, at, min(part, info.Size()-at)),
		})
		if err != nil {
			return id, err
		}
	}
	return id, nil
}

// Remove implements export.Stage. It aborts uploads, also where others of them are complete.
func (s *stage) Remove(ctx context.Context, named bool) error {
	err := os.RemoveAll(s.dir)
	if named {
		return err
	}
	var left [][2]string
	s.bucket.mu.Lock()
	for _, upload := range s.stored {
		if !s.bucket.mine[upload[0]] {
			left = append(left, upload)
		}
	}
	s.bucket.mu.Unlock()
	return errors.Join(err, each(ctx, left, func(ctx context.Context, upload [2]string) error {
		b := s.bucket
		_, err := b.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b.name, Key: b.key(upload[1]), UploadId: &upload[0]})
		if code, _ := codeOf(err); code == noUpload {
			return nil
		}
		return b.failed("abort the upload of", upload[1], err)
	}))
}

// A manifest names an upload by a path, which is in the alphabet of URLs.
const uploads = "uploads/"

func uploadPath(id string) string { return uploads + base64.RawURLEncoding.EncodeToString([]byte(id)) }

func uploadOf(path string) (string, error) {
	text, ok := strings.CutPrefix(path, uploads)
	id, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil {
		return "", fmt.Errorf("the manifest moves %q, which is not an upload: it is that of a directory", path)
	}
	return string(id), nil
}

// atOnce is how many requests are under way.
const atOnce = 8

// each calls do for each of a list, some at a time, and returns the first error, after which it begins no more.
// It ends none of those under way: an upload whose number is not known cannot be aborted.
func each[T any](ctx context.Context, list []T, do func(context.Context, T) error) error {
	failed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	places := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for _, x := range list {
		places <- struct{}{}
		if failed.Err() != nil {
			break
		}
		wait.Go(func() {
			if err := do(ctx, x); err != nil {
				cancel(err)
			}
			<-places
		})
	}
	wait.Wait()
	return context.Cause(failed)
}
