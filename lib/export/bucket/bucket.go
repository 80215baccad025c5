// Package bucket keeps exported tables in a bucket of S3, or of a server that speaks its protocol.
//
// Objects appear whole. An export stores its files as multipart uploads, which nobody sees, then
// replaces the manifest, provided that it is still the one that it has read, and then completes the uploads that
// the manifest names. There is no lock: of two exports at the same time the later one finds that
// the manifest is another, and begins anew.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pmtools/lib/export"
	"pmtools/lib/pmerr"
)

// A Bucket is an export.Store.
type Bucket struct {
	client *s3.Client
	name   string
	prefix string // of all keys: "", or it ends with a slash
	part   int64  // bytes of a part of an upload, at least

	mu   sync.Mutex
	mine map[string]bool // uploads that this process has stored, true for those that are complete
}

// Store returns the Store of a directory, or of a URL s3://BUCKET/PREFIX.
func Store(place string) (export.Store, error) {
	scheme, rest, ok := strings.Cut(place, "://")
	if !ok {
		return export.Dir(place), nil
	}
	name, prefix, _ := strings.Cut(rest, "/")
	if scheme != "s3" || name == "" {
		return nil, fmt.Errorf("%s: want a directory, or s3://BUCKET/PREFIX", printable(place))
	}
	env, err := environment(os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(place), err)
	}
	return open(env, name, prefix), nil
}

// Tables returns the tables in a directory or below a URL, or one file of the table of metrics there.
func Tables(place string) (*export.Tables, error) {
	dir, file := place, ""
	if strings.Contains(place, "://") {
		if strings.HasSuffix(place, ".parquet") {
			i := strings.LastIndexByte(place, '/')
			dir, file = place[:i], place[i+1:]
		}
	} else if info, err := os.Stat(place); err == nil && !info.IsDir() {
		dir, file = filepath.Split(place)
	}
	store, err := Store(dir)
	return &export.Tables{Store: store, File: file}, err
}

func open(env *settings, name, prefix string) *Bucket {
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &Bucket{client: s3.New(env.options()), name: name, prefix: prefix, part: 16 << 20, mine: make(map[string]bool)}
}

func (b *Bucket) key(path string) *string { return aws.String(b.prefix + path) }

// Name implements export.Store.
func (b *Bucket) Name(path string) string { return "s3://" + b.name + "/" + b.prefix + path }

// Lock implements export.Store: a bucket has no lock.
func (b *Bucket) Lock(context.Context, string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}

func (b *Bucket) get(ctx context.Context, path string) (*s3.GetObjectOutput, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: b.key(path)})
	return out, b.failed("read", path, err)
}

// Open implements export.Store. The object is copied to a temporary file.
func (b *Bucket) Open(ctx context.Context, path string) (export.File, error) {
	out, err := b.get(ctx, path)
	if err != nil {
		return nil, err
	}
	defer out.Body.Close()
	f, err := os.CreateTemp("", "pmderive-*.parquet")
	if err != nil {
		return nil, err
	}
	copied := &file{File: f}
	if copied.size, err = io.Copy(f, out.Body); err == nil && out.ContentLength != nil && copied.size != *out.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, errors.Join(b.failed("read", path, err), copied.Close())
	}
	return copied, nil
}

// A file is the copy of an object, which Close removes.
type file struct {
	*os.File
	size int64
}

func (f *file) Size() int64 { return f.size }

func (f *file) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// Read implements export.Store.
func (b *Bucket) Read(ctx context.Context, path string, limit int64) (text []byte, version string, err error) {
	out, err := b.get(ctx, path)
	if err != nil {
		return nil, "", err
	}
	defer out.Body.Close()
	if text, err = io.ReadAll(io.LimitReader(out.Body, limit+1)); err == nil && int64(len(text)) > limit {
		err = pmerr.TooBig
	}
	if err != nil {
		return nil, "", b.failed("read", path, err)
	}
	return text, aws.ToString(out.ETag), nil
}

// Replace implements export.Store.
func (b *Bucket) Replace(ctx context.Context, path string, text []byte, version string) error {
	in := &s3.PutObjectInput{Bucket: &b.name, Key: b.key(path), Body: strings.NewReader(string(text))}
	if version == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &version
	}
	_, err := b.client.PutObject(ctx, in)
	switch code, _ := codeOf(err); code {
	case "PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey":
		return fmt.Errorf("%s: %w", b.Name(path), export.ErrChanged)
	}
	return b.failed("write", path, err)
}

// List implements export.Store.
func (b *Bucket) List(ctx context.Context, dir string) (names []string, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: b.key(dir + "/"), Delimiter: aws.String("/")}
	for list := s3.NewListObjectsV2Paginator(b.client, in); list.HasMorePages(); {
		page, err := list.NextPage(ctx)
		if err != nil {
			return nil, b.failed("list", dir+"/", err)
		}
		for _, o := range page.Contents {
			names = append(names, path.Base(aws.ToString(o.Key)))
		}
		for _, below := range page.CommonPrefixes {
			names = append(names, path.Base(aws.ToString(below.Prefix))+"/")
		}
	}
	return names, nil
}

// Remove implements export.Store.
func (b *Bucket) Remove(ctx context.Context, paths []string) error {
	return each(ctx, paths, func(ctx context.Context, path string) error {
		_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: b.key(path)})
		if err = b.failed("remove", path, err); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// Move implements export.Store: it completes uploads.
func (b *Bucket) Move(ctx context.Context, list [][2]string) error {
	return each(ctx, list, func(ctx context.Context, move [2]string) error {
		id, err := uploadOf(move[0])
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name(move[1]), err)
		}
		b.mu.Lock()
		complete, mine := b.mine[id]
		b.mu.Unlock()
		if complete {
			return nil
		}
		err = b.complete(ctx, id, move[1])
		if code, _ := codeOf(err); code == noUpload {
			// It was completed before, and may have been removed since; or somebody has aborted it.
			_, there := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: b.key(move[1])})
			if err = nil; mine && there != nil {
				return fmt.Errorf("%s: its upload was aborted before it was complete, by a rule of the bucket or by somebody: "+
					"remove _pmtools/host=HOST and all files of the host, and export anew", b.Name(move[1]))
			}
		}
		if err = b.failed("write", move[1], err); err == nil {
			b.mark(id, true)
		}
		return err
	})
}

func (b *Bucket) mark(id string, complete bool) {
	b.mu.Lock()
	b.mine[id] = complete
	b.mu.Unlock()
}

// complete completes an upload of the parts that the bucket has of it.
func (b *Bucket) complete(ctx context.Context, id, path string) error {
	var parts []types.CompletedPart
	in := &s3.ListPartsInput{Bucket: &b.name, Key: b.key(path), UploadId: &id}
	for list := s3.NewListPartsPaginator(b.client, in); list.HasMorePages(); {
		page, err := list.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, p := range page.Parts {
			parts = append(parts, types.CompletedPart{ETag: p.ETag, PartNumber: p.PartNumber})
		}
	}
	_, err := b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &b.name, Key: b.key(path), UploadId: &id, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	return err
}
