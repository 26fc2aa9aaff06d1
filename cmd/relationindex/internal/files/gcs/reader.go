package gcs

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/google-cloud-go-testing/storage/stiface"
)

// patience is how long a connection may be silent. After that the reader closes the connection.
const patience = time.Minute

var (
	errSilent  = fmt.Errorf("no byte for %v", patience)
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Reader returns a reader of a whole object. Its errors name the object. The end of ctx
// ends the reader.
func (s *Store) Reader(ctx context.Context, o Object) io.ReadCloser {
	handle := s.client.Bucket(o.Bucket).Object(o.Name).Generation(o.Generation).ReadCompressed(true)
	return &reader{ctx: ctx, handle: handle, object: o}
}

type reader struct {
	ctx    context.Context // of the whole file, because Read has no ctx
	handle stiface.ObjectHandle
	object Object

	in   stiface.Reader          // nil: not open
	on   context.Context         // of the connection
	end  context.CancelCauseFunc // of the connection; nil: there is no connection
	once *once

	read  int64 // bytes
	crc   uint32
	tries int   // since the last byte
	err   error // the result of all further reads
}

// Read reads the next bytes, if necessary on a new connection.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.err == nil {
		left := r.object.Size - r.read
		if left == 0 {
			r.err = r.checked()
			break
		}
		n, err := r.some(p[:min(int64(len(p)), left)])
		r.read += int64(n)
		r.crc = crc32.Update(r.crc, castagnoli, p[:n])
		if err != nil {
			_ = r.Close() // the next byte comes on a new connection
		}
		if n > 0 {
			r.tries = 0
			return n, nil
		}
		if err != nil {
			r.err = r.resumed(err)
		}
	}
	return 0, r.err
}

// resumed waits before the next connection. If a new connection cannot help, it returns the
// error of the reader.
func (r *reader) resumed(err error) error {
	r.tries++
	if refused(err) || r.ctx.Err() != nil || !broken(err) {
		return explained(r.ctx, r.object, err)
	}
	if r.tries == maxTries {
		return fmt.Errorf("%w (at byte %d of %d, after %d tries)", explained(r.ctx, r.object, err), r.read, r.object.Size, r.tries)
	}
	return pause(r.ctx, r.tries)
}

// errBroken marks the error that ended an open connection.
var errBroken = errors.New("the connection broke")

// broken reports whether a new connection may succeed after err.
func broken(err error) bool {
	return errors.Is(err, errBroken) || errors.Is(err, errSilent) || storage.ShouldRetry(err)
}

// some reads from the connection, and opens one if there is none. It ends a silent
// connection.
func (r *reader) some(p []byte) (int, error) {
	if r.end == nil {
		r.on, r.end = context.WithCancelCause(r.ctx)
		r.once = &once{end: r.end}
		r.on = httptrace.WithClientTrace(r.on, &httptrace.ClientTrace{GetConn: r.once.request})
	}
	end := r.end
	silent := time.AfterFunc(patience, func() { end(errSilent) })
	defer silent.Stop()
	if r.in == nil {
		in, err := r.handle.NewRangeReader(r.on, r.read, -1)
		if err != nil {
			return 0, caused(r.on, err)
		}
		r.in = in
		r.once.open.Store(true)
	}
	n, err := r.in.Read(p)
	if err != nil && !refused(err) {
		err = fmt.Errorf("%w: %w", errBroken, caused(r.on, err))
	}
	return n, err
}

// caused returns err, or the reason if this package ended the connection.
func caused(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) || errors.Is(cause, errReopened) {
		return cause
	}
	return err
}

// once allows a connection only the request that opens it. When a connection breaks,
// storage.Reader requests the remaining bytes by itself, at once and without end. For an object
// with Content-Encoding gzip, it then drops as many bytes as it has read before (readerReopen in
// http_client.go of v1.70.0 mistakes the remaining bytes for the whole object).
type once struct {
	end  context.CancelCauseFunc
	open atomic.Bool
}

var errReopened = errors.New("the connection ended before the end of the object")

// request is called before each request.
func (o *once) request(string) {
	if o.open.Load() {
		o.end(errReopened)
	}
}

// checked compares the CRC32C of all bytes with the object's. It returns io.EOF if they are equal.
func (r *reader) checked() error {
	if r.crc != r.object.CRC32C {
		return fmt.Errorf("%s: %w: its CRC32C is %08x, not %08x", r.object, ErrDamaged, r.crc, r.object.CRC32C)
	}
	return io.EOF
}

// Close ends the connection.
func (r *reader) Close() error {
	if r.end != nil {
		r.end(nil)
		r.end = nil
	}
	if r.in == nil {
		return nil
	}
	in := r.in
	r.in = nil
	return in.Close()
}
