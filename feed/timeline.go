package feed

import (
	"context"
	"fmt"
	"time"

	"example.com/relationindex/feed/pages"
	"example.com/relationindex/schema"
)

// timeline is the source of a reader's own documents. A post has one entry.
type timeline struct {
	feed   *Feed
	reader string
	newer  time.Time // see reading
}

// entries costs the same as the layout's read of a page.
func (s timeline) entries(ctx context.Context, after position, limit int) ([]entry, bool, error) {
	var from pages.Position
	if !s.newer.IsZero() {
		from.Newer = s.newer.UnixMicro()
	}
	if after.name != "" {
		from.Sequence, from.At, from.Post = after.sequence, after.createdAt.UnixMicro(), after.name
	}
	page, more, err := pages.Of(ctx, s.feed.database(), s.feed.layout, s.reader, from, limit)
	if err != nil {
		return nil, false, fmt.Errorf("timeline: %w", err)
	}
	found := make([]entry, len(page))
	for n, e := range page {
		found[n] = entry{
			name: e.Post, createdAt: time.UnixMicro(e.At).UTC(), post: e.Post,
			author: e.Author, audience: e.Audience, sequence: e.Sequence,
		}
		if schema.CheckPostID(e.Post) != nil || e.Hidden {
			found[n].post = ""
		}
	}
	return found, more, nil
}

func (f *Feed) database() *schema.Database {
	return &schema.Database{Client: f.client, Config: f.opts.WithDefaults()}
}
