package chaos

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/oracle"
	"example.com/relationindex/timelines/layout"
)

// clients are the collections of documents that clients write.
var clients = []string{"users", "followers", "blocked", "posts", "settings", "hidden", "comments", "likes"}

// endOf adds the present documents to a history, and reports documents that no client explains.
func endOf(ctx context.Context, client *firestore.Client, h *oracle.History, report func(format string, args ...any)) error {
	docs, err := testkit.ReadDocuments(ctx, client, clients, nil)
	if err != nil {
		return err
	}
	for _, wrong := range h.End(time.Now(), docs) {
		report("%s", wrong)
	}
	return nil
}

// oracleOf returns the oracle of a configuration: for its timelines, or for relations if it has no
// timelines.
func oracleOf(h *oracle.History, cfg schema.Config) *oracle.Oracle {
	return oracle.New(h, oracleConfig(cfg), time.Now())
}

// oracleOfQueries returns the oracle for relations as clients query them. They keep posts for groups that name a
// reader who blocks the author. Feed leaves such posts out.
func oracleOfQueries(h *oracle.History, cfg schema.Config) *oracle.Oracle {
	c := oracleConfig(cfg)
	c.Groups = true
	return oracle.New(h, c, time.Now())
}

func oracleConfig(cfg schema.Config) oracle.Config {
	c := oracle.Config{All: true, Own: !cfg.NoOwnPosts, Shows: shows}
	if cfg.Timeline() != "" {
		c.All, c.Backfill, c.Cap, c.Keep, c.Expire = false, cfg.Backfill, cfg.Cap, cfg.KeepOnUnfollow, cfg.Expire
		c.Settings, c.Idle, c.Ranked = cfg.ReaderSettings, cfg.Idle, cfg.Ranked
	}
	return c
}

// These are the names of what entries show.
const (
	showsText   = "text" // the copied text
	showsWhole  = "the post's text"
	showsAuthor = "author"
	showsKind   = "kind"
	showsName   = "authorName"
)

// shows returns what an entry shows of a post. Nothing is copied from a post with the mood tooMany.
func shows(fields map[string]any) map[string]string {
	all := map[string]string{}
	for name, field := range map[string]string{showsText: "text", showsWhole: "text", showsAuthor: "userId", showsKind: "kind", showsName: "authorName"} {
		all[name], _ = fields[field].(string)
	}
	if many, ok := fields["mood"].([]any); ok && len(many) > 0 {
		all[showsText], all[showsName] = "", ""
	}
	return all
}

// observed returns a timeline in the oracle's form.
func observed(entries []layout.Entry) []oracle.Entry {
	all := make([]oracle.Entry, len(entries))
	for n, e := range entries {
		all[n] = oracle.Entry{
			Post: e.Post, At: time.UnixMicro(e.At), Hidden: e.Hidden, Bucket: e.Sequence,
			Shows: map[string]string{showsAuthor: e.Author, showsKind: e.Kind},
		}
		for _, name := range []string{showsText, showsName} {
			all[n].Shows[name], _ = e.Copies[name].(string)
		}
	}
	return all
}

// observedFeed returns a feed in the oracle's form. whole means that the feed has the posts' own
// texts.
func observedFeed(entries []Entry, whole bool) []oracle.Entry {
	name := showsText
	if whole {
		name = showsWhole
	}
	all := make([]oracle.Entry, len(entries))
	for n, e := range entries {
		all[n] = oracle.Entry{Post: e.Post, At: e.CreatedAt, Shows: map[string]string{name: e.Text}}
	}
	return all
}

// told joins the differences of one reader.
func told(wrong []string) string {
	const most = 3
	if len(wrong) > most {
		return fmt.Sprintf("%s; and %d more", strings.Join(wrong[:most], "; "), len(wrong)-most)
	}
	return strings.Join(wrong, "; ")
}

// compareUnread returns how the number of unread posts of a first page differs from the page's
// entries; "": it does not. Without readAt, there must be no number.
func compareUnread(readAt time.Time, page feed.Page, shown []layout.Entry) string {
	switch {
	case readAt.IsZero() && page.Unread == nil:
		return ""
	case readAt.IsZero() || page.Unread == nil:
		return fmt.Sprintf("unread is %v, and readAt %v", page.Unread, readAt)
	}
	want := 0
	for _, e := range shown[:min(len(page.Posts), len(shown))] {
		if time.UnixMicro(e.At).After(readAt) {
			want++
		}
	}
	n := page.Unread.Count
	if more := n == len(page.Posts) && page.Cursor != ""; n != want || page.Unread.More != more {
		return fmt.Sprintf("%+v unread of %d, want %d, more is %t", *page.Unread, len(page.Posts), want, more)
	}
	return ""
}

// deletedAccounts returns the deleted accounts and groups that are still gone.
func deletedAccounts(h *oracle.History, ops []Op) map[string]bool {
	gone := map[string]bool{}
	for _, op := range ops {
		if op.Kind == DeleteAccount && h.Fields("users/"+op.User) == nil {
			gone[op.User] = true
		}
	}
	return gone
}
