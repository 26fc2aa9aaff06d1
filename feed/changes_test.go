package feed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/oracle"
)

// make makes a change, if it is possible now.
func (r *reading) make(c change) error {
	path := "posts/" + id(c.Post)
	post := maps.Clone(r.docs[path])
	becomes := func(docs map[string]map[string]any) error {
		for _, path := range slices.Sorted(maps.Keys(docs)) {
			r.clock = r.clock.Add(time.Millisecond)
			at := noon.Add(time.Duration(len(r.states))*time.Hour + r.clock.Sub(r.start))
			if r.docs[path] = docs[path]; docs[path] == nil {
				r.past.Delete(path, at)
			} else {
				r.past.Write(path, at, docs[path])
			}
		}
		return r.set(docs)
	}
	toggle := func(path string, doc fields) error {
		if r.docs[path] != nil {
			doc = nil
		}
		return becomes(map[string]map[string]any{path: doc})
	}
	timeline, slice := r.form.source == feed.SourceTimeline, r.form.source == feed.SourceSlice
	switch c.What {
	case "new":
		return becomes(map[string]map[string]any{fmt.Sprintf("posts/p%02d_%05d", c.Post, 9+len(r.states)): r.post(kinds[c.Kind], c.Slot)})
	case "follow":
		if !r.silent || slice {
			return toggle("users/bob/followers/"+r.Reader, fields{"createdAt": noon.AddDate(-1, 0, 0)})
		}
	case "block":
		if whom := []string{"bob", "dan", "troll"}[c.Kind%3]; !r.silent || slice && whom == "troll" {
			return toggle("users/"+r.Reader+"/blocked/"+whom, fields{"createdAt": noon})
		}
	case "reader hides":
		if timeline && !r.silent {
			return toggle("users/"+r.Reader+"/hidden/"+id(c.Post), fields{"createdAt": noon})
		}
	case "closed":
		if slice {
			return becomes(map[string]map[string]any{"users/bob": {"name": "Bob", "closed": c.Kind%2 == 0}})
		}
	case "later":
		r.clock = r.clock.Add(time.Duration(c.Slot) * time.Minute)
	case "expire":
		if r.cfg.Horizon > 0 {
			return r.expire()
		}
	default:
		if post == nil || timeline && r.silent && post["userId"] == "troll" { // functions take what names a reader who blocks
			return nil
		}
		switch c.What {
		case "text":
			post["text"] = fmt.Sprint("edited ", len(r.states))
		case "hide":
			post["hidden"] = post["hidden"] != true
		case "delete":
			post = nil
		case "kind":
			post = r.post(kinds[c.Kind], c.Slot)
			post["createdAt"] = r.docs[path]["createdAt"]
		case "time":
			post["createdAt"] = r.at(c.Slot)
		}
		return becomes(map[string]map[string]any{path: post})
	}
	return nil
}

// expire deletes the relations beyond the horizon, as Firestore may at any time.
func (r *reading) expire() error {
	docs, err := r.Client.Collection("_relations").Documents(context.Background()).GetAll()
	for _, doc := range docs {
		if at, _ := doc.Data()["createdAt"].(time.Time); at.After(r.clock.Add(-r.cfg.Horizon)) {
			continue
		}
		_, e := doc.Ref.Delete(context.Background())
		r.expired["_relations/"+doc.Ref.ID], err = doc.Data(), errors.Join(err, e)
	}
	return err
}

// restore brings back what clients had written before the reading.
func (r *reading) restore() {
	posts, follows := map[string]map[string]any{}, map[string]map[string]any{}
	for _, path := range slices.Concat(slices.Collect(maps.Keys(r.docs)), slices.Collect(maps.Keys(r.world.docs))) {
		if now, was := r.docs[path], r.world.docs[path]; fmt.Sprint(now) == fmt.Sprint(was) {
			continue
		} else if strings.Contains(path, "/followers/") {
			follows[path] = was
		} else {
			posts[path] = was
		}
	}
	for _, docs := range []map[string]map[string]any{r.expired, posts, follows} {
		if err := r.set(docs); err != nil {
			r.t.Error(err)
		}
	}
}

// note notes what the reader may read now.
func (r *reading) note() {
	now := noon.Add(time.Duration(len(r.states))*time.Hour + 59*time.Minute)
	r.past.Rest(now)
	for path := range r.docs { // a block has ended follows
		if strings.Contains(path, "/followers/") && r.docs[path] != nil && r.past.Fields(path) == nil {
			r.docs[path] = nil
		}
	}
	s := state{docs: maps.Clone(r.docs)}
	if r.form.source == feed.SourceSlice {
		s.posts = r.slice()
	} else {
		timeline := r.form.source == feed.SourceTimeline
		s.posts = oracle.New(r.past, oracle.Config{All: !timeline, Backfill: r.cfg.Backfill, Own: !r.cfg.NoOwnPosts, Settings: timeline}, now).Reader(r.Reader).Posts
	}
	r.states = append(r.states, s)
}

// slice returns the posts of a slice that the reader may read: their own, those that name them, and those of audiences
// that are open, theirs, or followed by them.
func (r *reading) slice() map[string]oracle.Post {
	posts := map[string]oracle.Post{}
	for path, post := range r.docs {
		id, ok := strings.CutPrefix(path, "posts/")
		author, _ := post["userId"].(string)
		_, dated := post["createdAt"].(time.Time)
		refs, _ := post["refs"].([]any)
		if !ok || !dated || !slices.Contains(refs, any(topic)) || post["hidden"] == true {
			continue
		}
		named, _ := schema.RecipientsOf(author, post, true)
		audience, _ := schema.AudienceOf(author, post)
		of := r.docs["users/"+audience]
		_, closed := of["closed"]
		group := schema.IsGroup(audience)
		open := of["name"] != nil && (!closed || of["closed"] == false)
		follows := r.docs["users/"+audience+"/followers/"+r.Reader] != nil && (!group || of["name"] != nil)
		if slices.Contains(named, r.Reader) || audience != "" && schema.CheckAccountID(author) == nil && (open || follows || group && of["ownerId"] == r.Reader) {
			posts[id] = oracle.Post{ID: id, Must: true}
		}
	}
	return posts
}
