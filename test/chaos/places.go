package chaos

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/testkit/clients"
)

// These are the interval between looks, and the most readers to check.
const (
	lookEvery   = 2 * time.Second
	lookReaders = 24
)

// placesWatch watches for a fault that the end would not show: a lifted entry that falls.
type placesWatch struct {
	readers []string
	seen    map[string]seenPlace // by path
	report  func(format string, args ...any)
}

// seenPlace is the place of an entry at the last look. An entry created since is another entry.
type seenPlace struct {
	created time.Time
	at      int64
}

// newPlaces watches some of all users.
func newPlaces(users int, report func(format string, args ...any)) *placesWatch {
	p := &placesWatch{seen: map[string]seenPlace{}, report: report}
	for n := 0; n < users; n += (users + lookReaders - 1) / lookReaders {
		p.readers = append(p.readers, clients.UserID(n))
	}
	return p
}

// watch checks the places until ctx ends.
func (p *placesWatch) watch(ctx context.Context, client *firestore.Client) error {
	pace := time.NewTicker(lookEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pace.C:
		}
		for _, reader := range p.readers {
			docs, err := client.Collection("users/" + reader + "/timeline").Select("at").Documents(ctx).GetAll()
			switch code := status.Code(err); {
			case ctx.Err() != nil:
				return nil
			case code == codes.Unavailable, code == codes.Aborted, code == codes.DeadlineExceeded:
				continue // tried again at the next look
			case err != nil:
				return fmt.Errorf("places of %s: %w", reader, err)
			}
			for _, doc := range docs {
				at, _ := doc.DataAt("at") // nil: no timeline item
				if n, ok := at.(int64); ok {
					_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
					p.see(path, doc.CreateTime, n)
				}
			}
		}
	}
}

// see reports an entry that stands lower than before.
func (p *placesWatch) see(path string, created time.Time, at int64) {
	if before := p.seen[path]; before.created.Equal(created) && at < before.at {
		p.report("%s stands at %d, and stood at %d before", path, at, before.at)
	}
	p.seen[path] = seenPlace{created, at}
}
