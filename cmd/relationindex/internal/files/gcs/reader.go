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

// patience is how long a connection may bring nothing before it is given up.
const patience = time.Minute

var (
	errSilent  = fmt.Errorf("no byte for %v", patience)
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Reader reads an object from its first byte to its last. Its errors name the object.
// ctx ends it.
func (s *Store) Reader(ctx context.Context, o Object) io.ReadCloser {
	handle := s.client.Bucket(o.Bucket).Object(o.Name).Generation(o.Generation).ReadCompressed(true)
	return &reader{ctx: ctx, handle: handle, object: o}
}

type reader struct {
	ctx    context.Context // of the whole file: an io.Reader gets none
	handle stiface.ObjectHandle
	object Object

	in   stiface.Reader          // nil: to be opened
	on   context.Context         // of the connection
	end  context.CancelCauseFunc // nil: there is none
	once *once

	read  int64 // bytes
	crc   uint32
	tries int   // since a byte came
	err   error // stays
}

// Read reads on, if need be on a new connection.
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

// resumed waits before the next connection. It returns why there should be none.
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

// errBroken marks what ended a connection that was open.
var errBroken = errors.New("the connection broke")

// broken reports that a new connection may do better.
func broken(err error) bool {
	return errors.Is(err, errBroken) || errors.Is(err, errSilent) || storage.ShouldRetry(err)
}

// some reads from the connection, and opens it if there is none. It ends one that stays
// silent.
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

// caused is err, or why the connection was ended here.
func caused(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errSilent) || errors.Is(cause, errReopened) {
		return cause
	}
	return err
}

// once lets the client of a connection send no request after the one that opened it. When a
// connection breaks, storage.Reader asks for the rest by itself: at once and without end,
// and of an object with Content-Encoding gzip it then drops as many bytes as it has seen
// (readerReopen in http_client.go of v1.69.0, which takes the rest for the whole).
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

// checked compares all that was read with what the bucket says, and returns io.EOF.
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
