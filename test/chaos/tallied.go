package chaos

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
)

const (
	kept       = 90 * 24 * time.Hour // from the newest act of a notification to its expiry
	mostActors = 5
	look       = 20  // number of newest acts from which actors are taken
	lookAgain  = 100 // number of acts to search if none of these may be named
	lookPosts  = 5   // number of an author's newest posts of which one must mention the account
)

// tallied has the clients' final documents, sorted for counting.
type tallied struct {
	docs  map[string]map[string]any
	now   time.Time
	hides bool // readers decide

	followers map[string][]deed // of each account: its followers
	following map[string]int64
	requests  map[string][]deed
	likes     map[string][]deed // of each post
	comments  map[string][]deed // of each post, in its present thread

	spared int // see [Counted]
}

// deed is an act: who did it, and when.
type deed struct {
	path, by string
	at       time.Time
}

// notification is the expected notification of an account.
type notification struct {
	verb, object string
	count        int
	actors       []string
	at           time.Time
}

func worldOf(docs map[string]map[string]any, cfg schema.Config) *tallied {
	w := &tallied{
		docs: docs, now: time.Now(), hides: cfg.ReaderSettings,
		followers: map[string][]deed{}, following: map[string]int64{}, requests: map[string][]deed{}, likes: map[string][]deed{}, comments: map[string][]deed{},
	}
	for path, fields := range docs {
		parts := strings.Split(path, "/")
		if len(parts) != 4 {
			continue
		}
		at, _ := fields["createdAt"].(time.Time)
		did := deed{path, parts[3], at}
		switch parts[2] {
		case "followers":
			w.followers[parts[1]] = append(w.followers[parts[1]], did)
			w.following[parts[3]]++
		case "requests":
			w.requests[parts[1]] = append(w.requests[parts[1]], did)
		case "likes":
			w.likes[parts[1]] = append(w.likes[parts[1]], did)
		case "comments":
			did.by, _ = fields["userId"].(string)
			if post := docs["posts/"+parts[1]]; post != nil && fields["thread"] == threadOf(post) {
				w.comments[parts[1]] = append(w.comments[parts[1]], did)
			}
		}
	}
	return w
}

// numbers returns the numbers, other than 0, of all existing accounts, groups and posts, by path.
func (w *tallied) numbers() map[string]map[string]int64 {
	all := map[string]map[string]int64{}
	put := func(path, name string, n int64) {
		if all[path] == nil && w.docs[path] != nil {
			all[path] = map[string]int64{}
		}
		if n > 0 && w.docs[path] != nil {
			all[path][name] = n
		}
	}
	posts := map[string]int64{}
	for path, fields := range w.docs {
		kind, id, isDocument := strings.Cut(path, "/")
		if strings.Contains(id, "/") || !isDocument {
			continue
		}
		if kind == "posts" {
			put(path, "likes", int64(len(w.likes[id])))
			put(path, "comments", int64(len(w.comments[id])))
			if audience, _ := fields["audience"].(string); fields["hidden"] == false {
				posts[audience]++
			}
		}
		if kind == "users" {
			put(path, "followers", int64(len(w.followers[id])))
			put(path, "following", w.following[id])
		}
	}
	for audience, n := range posts {
		put("users/"+audience, "posts", n)
	}
	return all
}

// notifications returns the expected notifications of all accounts, by path.
func (w *tallied) notifications() map[string]*notification {
	all := map[string]*notification{}
	tell := func(u, verb, object, kind string, deeds []deed) {
		if fields := w.docs["users/"+u]; fields["name"] == nil || schema.IsGroup(u) {
			return
		}
		if n := w.told(u, kind, deeds); n != nil {
			n.verb, n.object = verb, object
			all["users/"+u+"/notifications/"+verb+"."+object] = n
		}
	}
	for u, deeds := range w.requests {
		tell(u, "request", "", "", deeds)
	}
	for u, deeds := range w.followers {
		days := map[string][]deed{}
		for _, d := range deeds {
			day := d.at.UTC().Format(time.DateOnly)
			days[day] = append(days[day], d)
		}
		for day, deeds := range days {
			tell(u, "follow", day, "", deeds)
		}
	}
	named := map[[2]string][]deed{} // by account and author
	for path, fields := range w.docs {
		p, isPost := strings.CutPrefix(path, "posts/")
		if !isPost || strings.Contains(p, "/") {
			continue
		}
		author, _ := fields["userId"].(string)
		kind, _ := fields["kind"].(string)
		created, dated := fields["createdAt"].(time.Time)
		if fields["hidden"] != true {
			tell(author, "like", p, kind, w.likes[p])
			tell(author, "comment", p, kind, w.comments[p])
		}
		for _, u := range slices.Compact(slices.Sorted(slices.Values(texts(fields["to"])))) { // a name may be there twice
			if by := [2]string{u, author}; u != author && dated {
				named[by] = append(named[by], deed{path, author, created})
			}
		}
	}
	for by, posts := range named {
		if n := w.mentions(by[0], by[1], posts); n != nil {
			author := sha256.Sum256([]byte(by[1]))
			all["users/"+by[0]+"/notifications/mention."+base64.RawURLEncoding.EncodeToString(author[:])] = n
		}
	}
	return all
}

// mentions returns an account's notification of an author's posts that name it; nil: none.
func (w *tallied) mentions(u, author string, posts []deed) *notification {
	if fields := w.docs["users/"+u]; fields["name"] == nil || schema.IsGroup(u) {
		return nil
	}
	slices.SortFunc(posts, newestFirst)
	for _, post := range posts[:min(len(posts), lookPosts)] {
		fields := w.docs[post.path]
		kind, _ := fields["kind"].(string)
		named, _ := schema.RecipientsOf(author, fields, false)
		if !slices.Contains(named, u) {
			continue
		}
		if w.spares(u, author, kind) {
			w.spared++
			continue
		}
		return &notification{verb: "mention", object: strings.TrimPrefix(post.path, "posts/"), count: len(posts), actors: []string{author}}
	}
	return nil
}

func newestFirst(a, b deed) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.path, a.path)) }

// told returns an account's notification of deeds by others; nil: none.
func (w *tallied) told(u, kind string, deeds []deed) *notification {
	newest := slices.SortedFunc(slices.Values(deeds), newestFirst)
	n := &notification{}
	for _, d := range newest {
		if d.by != u {
			n.count++
		}
	}
	for at, d := range newest[:min(len(newest), lookAgain)] {
		if at >= look && len(n.actors) > 0 || len(n.actors) == mostActors {
			break
		}
		if d.by == u || slices.Contains(n.actors, d.by) {
			continue
		}
		if w.spares(u, d.by, kind) {
			w.spared++
			continue
		}
		if n.actors = append(n.actors, d.by); len(n.actors) == 1 {
			n.at = d.at
		}
	}
	if len(n.actors) == 0 || n.at.Add(kept).Before(w.now) {
		return nil
	}
	return n
}

// spares reports whether a notification must leave somebody out, because of a block or of the
// account's settings.
func (w *tallied) spares(u, actor, kind string) bool {
	if w.docs["users/"+u+"/blocked/"+actor] != nil {
		return true
	}
	if !w.hides {
		return false
	}
	fields := w.docs[settingsOf(u)]
	return readers.Settings{Hide: texts(fields["hide"]), Show: texts(fields["show"])}.Hides(actor, kind)
}

func texts(value any) (all []string) {
	values, _ := value.([]any)
	for _, v := range values {
		text, _ := v.(string)
		all = append(all, text)
	}
	return all
}
