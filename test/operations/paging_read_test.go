//go:build long

package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
)

// A post as a reader gets it.
type shown struct {
	ID        string
	CreatedAt time.Time
}

// A way to read a feed page by page. Next is called with what it returned last;
// at first with nil. It returns nil after the last page.
type way struct {
	name string
	next func(ctx context.Context, last any) (page []shown, next any, err error)
}

// reading is a reader on the way through a feed.
type reading struct {
	way
	of     string               // whose feed
	want   map[string]time.Time // posts that have to be there, once
	seen   map[string]bool
	others int             // posts seen beside those, each at most once
	lifted map[string]bool // of want: they come at a later time
	// othersAnywhere says that those need not be in their place.
	othersAnywhere bool
	last           any
	before         shown
	ended          bool
}

// page reads the next page, and compares it with the model. No time may be later
// than the one before.
func (r *reading) page(t *testing.T) {
	t.Helper()
	page, next, err := r.next(t.Context(), r.last)
	if err != nil {
		t.Fatalf("%s of %s after %d posts: %v", r.name, r.of, len(r.seen), err)
	}
	for _, p := range page {
		at, known := r.want[p.ID]
		switch {
		case r.seen[p.ID]:
			t.Errorf("%s of %s: %s is repeated", r.name, r.of, p.ID)
		case known && (p.CreatedAt.Before(at) || p.CreatedAt.After(at) != r.lifted[p.ID]):
			t.Errorf("%s of %s: %s is of %v, want %v", r.name, r.of, p.ID, p.CreatedAt, at)
		case !known && r.othersAnywhere:
			r.others++
			r.seen[p.ID] = true
			continue
		case r.before.ID != "" && p.CreatedAt.After(r.before.CreatedAt):
			t.Errorf("%s of %s: %s of %v comes after %s of %v", r.name, r.of, p.ID, p.CreatedAt, r.before.ID, r.before.CreatedAt)
		case !known:
			r.others++
		}
		r.seen[p.ID], r.before = true, p
	}
	r.last, r.ended = next, next == nil
	if !r.ended {
		return
	}
	for id := range r.want {
		if !r.seen[id] {
			t.Errorf("%s of %s: %s is missing", r.name, r.of, id)
		}
	}
}

// throughFeed reads by the function Feed, at most limit posts a page.
func throughFeed(server, token string, limit int) way {
	return way{"Feed", func(ctx context.Context, last any) ([]shown, any, error) {
		query := url.Values{"limit": {fmt.Sprint(limit)}}
		if cursor, ok := last.(string); ok {
			query.Set("cursor", cursor)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/Feed?"+query.Encode(), nil)
		if err != nil {
			return nil, nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(resp.Body)
			return nil, nil, fmt.Errorf("%s: %s", resp.Status, text)
		}
		var page struct {
			Posts  []shown
			Cursor string
		}
		if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || page.Cursor == "" {
			return page.Posts, nil, err
		}
		return page.Posts, page.Cursor, nil
	}}
}

// directly reads by the query that clients make.
func directly(client *firestore.Client, uid, token string) way {
	query := client.Collection("_relations").Where("followers", "array-contains", uid).OrderBy("createdAt", firestore.Desc).Limit(pageSize)
	return way{"query", func(ctx context.Context, last any) ([]shown, any, error) {
		q := query
		if last, ok := last.(*firestore.DocumentSnapshot); ok {
			q = q.StartAfter(last)
		}
		docs, err := q.Documents(wire.As(ctx, token)).GetAll()
		if err != nil {
			return nil, nil, err
		}
		var page []shown
		for _, doc := range docs {
			var r struct {
				PostID    string    `firestore:"postId"`
				CreatedAt time.Time `firestore:"createdAt"`
			}
			if err := doc.DataTo(&r); err != nil {
				return nil, nil, err
			}
			page = append(page, shown{r.PostID, r.CreatedAt})
		}
		if len(docs) < pageSize {
			return page, nil, nil
		}
		return page, docs[len(docs)-1], nil
	}}
}
