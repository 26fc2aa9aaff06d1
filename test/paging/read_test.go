package paging

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/relationindex/internal/testkit"
)

// A post as a reader gets it.
type post struct {
	ID        string
	CreatedAt time.Time
}

// A way to read a feed page by page. Next is called with what it returned last;
// at first with nil. It returns nil after the last page.
type way struct {
	name string
	next func(ctx context.Context, last any) (page []post, next any, err error)
}

// read reads a feed to its end and compares it with the model: want must be there
// once, others at most once, and no time be later than the one before. It returns
// how many others there were. pages, if any, is told of each page.
func read(ctx context.Context, w way, want map[string]time.Time, pages chan<- struct{}) (others int, err error) {
	missing := maps.Clone(want)
	seen := map[string]bool{}
	var before post
	for last, n := any(nil), 0; ; n++ {
		page, next, err := w.next(ctx, last)
		if err != nil {
			return 0, fmt.Errorf("page %d: %w", n, err)
		}
		for _, p := range page {
			at, known := want[p.ID]
			switch {
			case seen[p.ID]:
				return 0, fmt.Errorf("page %d: %s is repeated", n, p.ID)
			case known && !at.Equal(p.CreatedAt):
				return 0, fmt.Errorf("page %d: %s is of %v, want %v", n, p.ID, p.CreatedAt, at)
			case before.ID != "" && p.CreatedAt.After(before.CreatedAt):
				return 0, fmt.Errorf("page %d: %s of %v comes after %s of %v", n, p.ID, p.CreatedAt, before.ID, before.CreatedAt)
			case !known:
				others++
			}
			seen[p.ID], before = true, p
			delete(missing, p.ID)
		}
		if pages != nil {
			pages <- struct{}{}
		}
		if next == nil {
			break
		}
		last = next
	}
	if len(missing) > 0 {
		return 0, fmt.Errorf("%d of %d posts are missing: %v", len(missing), len(want), missing)
	}
	return others, nil
}

// throughFeed reads by the function Feed.
func throughFeed(server, uid string) way {
	token := google.IDToken(project, uid, nil)
	return way{"Feed", func(ctx context.Context, last any) ([]post, any, error) {
		query := url.Values{"limit": {fmt.Sprint(pageSize)}}
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
			Posts  []post
			Cursor string
		}
		if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || page.Cursor == "" {
			return page.Posts, nil, err
		}
		return page.Posts, page.Cursor, nil
	}}
}

// directly reads by the query that clients make, as a client: bound by the rules,
// with the reader's token.
func directly(t *testing.T, uid string) way {
	conn, err := grpc.NewClient("passthrough:///"+testkit.Machine(t).Emulator.FirestoreHost(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
		grpc.WithPerRPCCredentials(bearer(google.IDToken(project, uid, nil))))
	if err != nil {
		t.Fatal(err)
	}
	client, err := firestore.NewClient(t.Context(), project, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	query := client.Collection("_relations").Where("followers", "array-contains", uid).OrderBy("createdAt", firestore.Desc).Limit(pageSize)
	return way{"query", func(ctx context.Context, last any) ([]post, any, error) {
		q := query
		if last, ok := last.(*firestore.DocumentSnapshot); ok {
			q = q.StartAfter(last)
		}
		docs, err := q.Documents(ctx).GetAll()
		if err != nil {
			return nil, nil, err
		}
		var page []post
		for _, doc := range docs {
			var r struct {
				PostID    string    `firestore:"postId"`
				CreatedAt time.Time `firestore:"createdAt"`
			}
			if err := doc.DataTo(&r); err != nil {
				return nil, nil, err
			}
			page = append(page, post{r.PostID, r.CreatedAt})
		}
		if len(docs) < pageSize {
			return page, nil, nil
		}
		return page, docs[len(docs)-1], nil
	}}
}

// bearer is a token as gRPC credentials, allowed on the emulator's plain connection.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }
