package feed

import (
	"context"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

const (
	// MaxFollowed is the number of followed accounts whose posts pull reads, at most: the first by their ids.
	MaxFollowed = 1000

	// followsTTL is how long an instance keeps a reader's list of followed accounts.
	followsTTL = time.Minute

	// followsBytes limits the lists that an instance keeps, for the most recent readers: 370 readers who follow 1,000
	// accounts each, or 12,000 who follow 30. A reader who follows 1,000 accounts with the longest ids (1.5 MB)
	// displaces other lists, and uses no more memory.
	followsBytes = 16 << 20
)

// follows is a reader's list of followed accounts, as far as pull reads their posts.
type follows struct {
	ids     []string // sorted
	leftOut int64    // number of further accounts
	asOf    time.Time
}

func (f follows) has(id string) bool {
	_, found := slices.BinarySearch(f.ids, id)
	return found
}

// bytes estimates the memory of f.
func (f follows) bytes() int {
	size := 128
	for _, id := range f.ids {
		size += len(id) + 16
	}
	return size
}

// followsCache reads and keeps readers' lists of followed accounts. It is safe for concurrent use.
type followsCache struct {
	users *firestore.CollectionRef
	now   func() time.Time
	most  int // bytes

	mu    sync.Mutex
	lists *simplelru.LRU[string, follows] // by reader
	bytes int                             // of lists
}

func newFollowsCache(users *firestore.CollectionRef) *followsCache {
	c := &followsCache{users: users, now: time.Now, most: followsBytes}
	const noLimit = 1 << 30 // bytes are the limit
	lists, err := simplelru.NewLRU(noLimit, func(_ string, f follows) { c.bytes -= f.bytes() })
	if err != nil {
		panic(err) // only for a limit below 1
	}
	c.lists = lists
	return c
}

// of returns a reader's list of followed accounts. The list is not older than since, and not older than [followsTTL]. It
// costs a read for each of the first [MaxFollowed] accounts, at least one, and one for each 1,000 others. A cached list
// costs nothing.
func (c *followsCache) of(ctx context.Context, reader string, since time.Time) (follows, error) {
	if schema.CheckAccountID(reader) != nil {
		return follows{asOf: c.now()}, nil // such a reader has no documents
	}
	if kept, ok := c.get(reader); ok && !kept.asOf.Before(since) && c.now().Sub(kept.asOf) < followsTTL {
		return kept, nil
	}
	f, err := c.read(ctx, reader)
	if err == nil {
		c.put(reader, f)
	}
	return f, err
}

func (c *followsCache) read(ctx context.Context, reader string) (follows, error) {
	f := follows{asOf: c.now()}
	edges := c.users.Doc(reader).Collection(names.Following).OrderBy(firestore.DocumentID, firestore.Asc)
	docs, err := edges.Select(schema.FieldIndexID).Limit(MaxFollowed).Documents(ctx).GetAll()
	if err != nil {
		return follows{}, err
	}
	for _, doc := range docs {
		if schema.TextOf(doc, schema.FieldIndexID) != "" && schema.CheckAccountID(doc.Ref.ID) == nil { // without a place, the reader is leaving
			f.ids = append(f.ids, doc.Ref.ID)
		}
	}
	slices.Sort(f.ids)
	if len(docs) == MaxFollowed {
		f.leftOut, err = bulk.Count(ctx, edges.StartAfter(docs[len(docs)-1].Ref.ID))
	}
	return f, err
}

func (c *followsCache) get(reader string) (follows, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists.Get(reader)
}

func (c *followsCache) put(reader string, f follows) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists.Remove(reader) // Add would not count its bytes
	c.lists.Add(reader, f)
	for c.bytes += f.bytes(); c.bytes > c.most; {
		c.lists.RemoveOldest()
	}
}
