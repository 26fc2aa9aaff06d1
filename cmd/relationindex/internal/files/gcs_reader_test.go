package files_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"cloud.google.com/go/storage"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/files/gcs"
)

var content = strings.Repeat("bob alice\n", 10)

func newFake() *fake { return &fake{content: []byte(content)} }

// Each connection breaks after 30 bytes: more often than tries are made without a byte.
func TestBrokenConnectionResumesAtByteOffset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.content = []byte(strings.Repeat(content, 5))
		broken := 0
		f.open = func(int64) (int, error) {
			if broken++; broken%3 == 0 {
				return 0, io.ErrUnexpectedEOF // no byte at all
			}
			return 30, errors.New("wsarecv: nobody knows this text")
		}
		got, err := f.read(t.Context(), t)
		if err != nil || got != string(f.content) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if diff := cmp.Diff([]int64{0, 30, 60, 60, 90, 120, 120}, f.opened[:7]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if f.stored != 1 {
			t.Errorf("%d handles read what is stored", f.stored)
		}
	})
}

// A connection that closes without an error, but too early, does not end the object.
func TestTruncatedResponseIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open = func(int64) (int, error) { return 30, nil }
		if got, err := f.read(t.Context(), t); err != nil || got != content {
			t.Errorf("%q, %v", got, err)
		}
	})
}

func TestSilentConnectionIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open = func(at int64) (int, error) {
			if at == 0 {
				return 30, errSilence
			}
			return len(content), nil
		}
		if got, err := f.read(t.Context(), t); err != nil || got != content {
			t.Errorf("%q, %v", got, err)
		}
	})
}

func TestTriesWithoutAByteAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open = func(at int64) (int, error) {
			if at == 0 {
				return 30, io.ErrUnexpectedEOF
			}
			return 0, refusal(503)
		}
		began := time.Now()
		got, err := f.read(t.Context(), t)
		if got != content[:30] || err == nil || !strings.Contains(err.Error(), "at byte 30 of 100, after 9 tries") {
			t.Errorf("%q, %v", got, err)
		}
		if took := time.Since(began); len(f.opened) != 9 || took < 20*time.Second || took > time.Minute {
			t.Errorf("%d connections in %v", len(f.opened), took)
		}
	})
}

func TestReadErrorsThatAreNotRetried(t *testing.T) {
	for name, tt := range map[string]struct {
		fake  func(*fake)
		is    error
		says  []string
		opens int
	}{
		"overwritten": {func(f *fake) {
			f.open = func(at int64) (int, error) {
				if at == 0 {
					return 30, io.ErrUnexpectedEOF
				}
				return 0, storage.ErrObjectNotExist
			}
		}, gcs.ErrChanged, []string{"gs://bucket/graph.txt: "}, 2},
		"overwritten, as the client finds": {func(f *fake) {
			f.open = func(int64) (int, error) { return 30, storage.ErrObjectNotExist }
		}, gcs.ErrChanged, []string{"gs://bucket/graph.txt: "}, 1},
		"not there": {func(f *fake) { f.attrs = func() error { return storage.ErrObjectNotExist } },
			storage.ErrObjectNotExist, []string{"gs://bucket/graph.txt: there is no such object"}, 0},
		"not allowed": {func(f *fake) { f.attrs = func() error { return refusal(403) } },
			nil, []string{"roles/storage.objectViewer", "the bucket bucket", "gs://bucket/graph.txt"}, 0},
		"not allowed to read": {func(f *fake) { f.open = func(int64) (int, error) { return 0, refusal(403) } },
			nil, []string{"roles/storage.objectViewer"}, 1},
		"not what is stored": {func(f *fake) { f.wrong = true },
			gcs.ErrDamaged, []string{"gs://bucket/graph.txt: ", "CRC32C"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				tt.fake(f)
				_, err := f.read(t.Context(), t)
				if err == nil || tt.is != nil && !errors.Is(err, tt.is) {
					t.Fatalf("%v, want %v", err, tt.is)
				}
				for _, text := range tt.says {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("it does not say %q: %v", text, err)
					}
				}
				if text := err.Error(); len(text) > 700 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%d bytes: %q", len(text), text)
				}
				if len(f.opened) != tt.opens {
					t.Errorf("%d connections, want %d", len(f.opened), tt.opens)
				}
			})
		})
	}
}

func TestReadReturnsCauseOfCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("interrupted")
		f := newFake()
		f.open = func(int64) (int, error) {
			time.AfterFunc(time.Second, func() { cancel(why) })
			return 0, refusal(503)
		}
		if _, err := f.read(ctx, t); !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
	})
}

func TestFindObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		f := newFake()
		f.names = []string{"in/", "in/a.txt", "in/\x1b[2J\nb.txt"}
		f.attrs = func() error {
			if asked++; asked == 2 {
				return refusal(503) // in the middle of a list
			}
			return nil
		}
		found, err := gcs.New(f).Find(t.Context(), "gs://bucket/in/")
		if got := fmt.Sprint(found); err != nil || got != "[gs://bucket/in/a.txt gs://bucket/in/ [2J b.txt]" {
			t.Errorf("%q, %v", got, err)
		}
		f.names = make([]string, gcs.MaxObjects+1)
		if _, err := gcs.New(f).Find(t.Context(), "gs://bucket/in/*"); err == nil || !strings.Contains(err.Error(), "longer prefix") {
			t.Errorf("too many: %v", err)
		}
		f.names = nil
		if _, err := gcs.New(f).Find(t.Context(), "gs://bucket/in/*"); err == nil || !strings.Contains(err.Error(), "no object's name begins so") {
			t.Errorf("none: %v", err)
		}
	})
}

func TestParseObjectNames(t *testing.T) {
	for text, want := range map[string]gcs.Name{
		"gs://my-bucket/a/graph.csv.gz": {Bucket: "my-bucket", Object: "a/graph.csv.gz"},
		"gs://my-bucket/a/":             {Bucket: "my-bucket", Object: "a/", Many: true},
		"gs://my-bucket/a/part*":        {Bucket: "my-bucket", Object: "a/part", Many: true},
		"gs://my-bucket/":               {Bucket: "my-bucket", Many: true},
	} {
		if got, err := gcs.Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"gs://bucket", "gs:///graph.txt", "gs://B/graph.txt", "gs://bucket/a*b", "gs://bucket/\xff", "gs://bucket/" + strings.Repeat("x", 1025), "graph.txt"} {
		if got, err := gcs.Parse(text); err == nil || !strings.Contains(err.Error(), "for example gs://") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
