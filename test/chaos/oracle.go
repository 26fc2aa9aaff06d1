package chaos

import (
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
	"example.com/relationindex/timelines/layout"
)

// oracleOf returns the oracle of a configuration: for its timelines, or for relations if it has no
// timelines.
func oracleOf(h *oracle.History, cfg schema.Config) *oracle.Oracle {
	return oracle.New(h, oracleConfig(cfg), time.Now())
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

// shows returns what an entry shows of a post. Relations and timelines copy nothing from a post whose mood has too many
// values.
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

// observedFeed returns a feed in the oracle's form. Its texts are what shows names.
func observedFeed(entries []clients.Entry, shows string) []oracle.Entry {
	all := make([]oracle.Entry, len(entries))
	for n, e := range entries {
		all[n] = oracle.Entry{Post: e.Post, At: e.CreatedAt, Shows: map[string]string{shows: e.Text}}
	}
	return all
}
