package oracle

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/schema"
)

const (
	kept       = 90 * 24 * time.Hour // from the newest act of a notification to its expiry
	mostActors = 5
	looked     = 20  // number of newest acts from which actors are taken
	lookAgain  = 100 // number of acts to search if none of these may be named
	lookPosts  = 5   // number of an author's newest posts of which one must mention the account
)

// Tallied is what numbers and notifications must be, and how they differ.
type Tallied struct {
	// Numbers counts those other than 0. Spared counts the times that a notification leaves somebody out, because of a
	// block or of the account's settings.
	Numbers, Notifications, Spared int
	Wrong                          []string
}

// Tallies compares the numbers and notifications in documents, by path, with what clients' documents say. hides means
// that readers decide. Nothing may be in flight.
func Tallies(docs map[string]map[string]any, hides bool) Tallied {
	w := &tallies{docs: docs, now: time.Now(), hides: hides, below: map[string][]deed{}, following: map[string]int{}, posts: map[string]int{}}
	w.sort()
	var t Tallied
	wrong := func(format string, args ...any) { t.Wrong = append(t.Wrong, fmt.Sprintf(format, args...)) }
	for path, want := range w.numbers() {
		got := map[string]any{}
		stored, _ := docs[path]["counts"].(map[string]any)
		for name, n := range stored {
			if n != int64(0) {
				got[name] = n
			}
		}
		if !reflect.DeepEqual(got, want) {
			wrong("counts of %s are %v, want %v", path, got, want)
		}
		t.Numbers += len(want)
	}
	want := w.notifications()
	for path, got := range docs {
		if strings.Contains(path, "/notifications/") && want[path] == nil && got["at"] != nil {
			wrong("%s is there, and tells of nobody: %v", path, got)
		}
	}
	for path, note := range want {
		if got := docs[path]; got["at"] == nil {
			wrong("%s is missing: %v", path, note)
		} else if difference := note.differs(got); difference != "" {
			wrong("notification %s: %s", path, difference)
		}
	}
	t.Notifications, t.Spared = len(want), w.spared
	slices.Sort(t.Wrong)
	return t
}

// tallies has the clients' documents, sorted for counting.
type tallies struct {
	docs   map[string]map[string]any
	now    time.Time
	hides  bool
	spared int

	below            map[string][]deed // by the path of a collection; comments in the post's present thread
	following, posts map[string]int    // by account; posts are those that are not hidden, by audience
}

// deed is an act: who did it, and when.
type deed struct {
	path, by string
	at       time.Time
}

// note is the expected notification of an account.
type note struct {
	verb, object string
	count        int
	actors       []string
	at           time.Time
}

func (w *tallies) sort() {
	for path, fields := range w.docs {
		parts := strings.Split(path, "/")
		if audience, _ := fields["audience"].(string); len(parts) == 2 && parts[0] == "posts" && fields["hidden"] == false {
			w.posts[audience]++
		}
		if len(parts) != 4 {
			continue
		}
		at, _ := fields["createdAt"].(time.Time)
		did := deed{path, parts[3], at}
		switch parts[2] {
		case "followers":
			w.following[parts[3]]++
		case "comments":
			did.by, _ = fields["userId"].(string)
			post := w.docs["posts/"+parts[1]]
			audience, given := post["audience"]
			if !given {
				audience = post["userId"]
			}
			if post == nil || fields["thread"] != fmt.Sprintf("%v/%v", post["userId"], audience) {
				continue
			}
		}
		of := strings.Join(parts[:3], "/")
		w.below[of] = append(w.below[of], did)
	}
}

// numbers returns the numbers, other than 0, of all existing accounts, groups and posts, by path.
func (w *tallies) numbers() map[string]map[string]any {
	all := map[string]map[string]any{}
	for path := range w.docs {
		numbers := map[string]int{}
		switch kind, id, _ := strings.Cut(path, "/"); {
		case strings.Contains(id, "/"):
			continue
		case kind == "posts":
			numbers["likes"], numbers["comments"] = len(w.below[path+"/likes"]), len(w.below[path+"/comments"])
		case kind == "users":
			numbers["followers"], numbers["following"], numbers["posts"] = len(w.below[path+"/followers"]), w.following[id], w.posts[id]
		default:
			continue
		}
		all[path] = map[string]any{}
		for name, n := range numbers {
			if n > 0 {
				all[path][name] = int64(n)
			}
		}
	}
	return all
}

// notifications returns the expected notifications of all accounts, by path.
func (w *tallies) notifications() map[string]*note {
	all := map[string]*note{}
	tell := func(u, verb, object, kind string, deeds []deed) {
		if n := w.told(u, kind, deeds); n != nil && w.hears(u) {
			n.verb, n.object = verb, object
			all["users/"+u+"/notifications/"+verb+"."+object] = n
		}
	}
	named := map[[2]string][]deed{} // by account and author
	for path, fields := range w.docs {
		collection, id, _ := strings.Cut(path, "/")
		switch {
		case strings.Contains(id, "/"):
		case collection == "users":
			tell(id, "request", "", "", w.below[path+"/requests"])
			days := map[string][]deed{}
			for _, d := range w.below[path+"/followers"] {
				day := d.at.UTC().Format(time.DateOnly)
				days[day] = append(days[day], d)
			}
			for day, deeds := range days {
				tell(id, "follow", day, "", deeds)
			}
		case collection == "posts":
			author, _ := fields["userId"].(string)
			kind, _ := fields["kind"].(string)
			if fields["hidden"] != true {
				tell(author, "like", id, kind, w.below[path+"/likes"])
				tell(author, "comment", id, kind, w.below[path+"/comments"])
			}
			created, dated := fields["createdAt"].(time.Time)
			for _, u := range slices.Compact(slices.Sorted(slices.Values(texts(fields["to"])))) { // a name may be there twice
				if by := [2]string{u, author}; u != author && dated {
					named[by] = append(named[by], deed{path, author, created})
				}
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

// hears reports whether an account is a person, whom notifications reach.
func (w *tallies) hears(u string) bool {
	return w.docs["users/"+u]["name"] != nil && !schema.IsGroup(u)
}

// mentions returns an account's notification of an author's posts that name it; nil: none.
func (w *tallies) mentions(u, author string, posts []deed) *note {
	if !w.hears(u) {
		return nil
	}
	slices.SortFunc(posts, newestFirst)
	for _, post := range posts[:min(len(posts), lookPosts)] {
		fields := w.docs[post.path]
		kind, _ := fields["kind"].(string)
		if named, _ := schema.RecipientsOf(author, fields, false); slices.Contains(named, u) && !w.spares(u, author, kind) {
			return &note{verb: "mention", object: strings.TrimPrefix(post.path, "posts/"), count: len(posts), actors: []string{author}}
		}
	}
	return nil
}

func newestFirst(a, b deed) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.path, a.path)) }

// told returns an account's notification of deeds by others; nil: none.
func (w *tallies) told(u, kind string, deeds []deed) *note {
	newest := slices.SortedFunc(slices.Values(deeds), newestFirst)
	n := &note{}
	for _, d := range newest {
		if d.by != u {
			n.count++
		}
	}
	for at, d := range newest[:min(len(newest), lookAgain)] {
		if at >= looked && len(n.actors) > 0 || len(n.actors) == mostActors {
			break
		}
		if d.by == u || slices.Contains(n.actors, d.by) || w.spares(u, d.by, kind) {
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
func (w *tallies) spares(u, actor, kind string) bool {
	is := w.docs["users/"+u+"/blocked/"+actor] != nil || w.hides && settingsOf(w.docs["users/"+u+"/settings/feed"]).Hides(actor, kind)
	if is {
		w.spared++
	}
	return is
}

// differs returns how a stored notification differs; "": it does not.
func (n *note) differs(got map[string]any) string {
	want := map[string]any{"verb": n.verb, "object": n.object, "count": int64(n.count)}
	for _, field := range slices.Sorted(maps.Keys(want)) {
		if got[field] != want[field] {
			return fmt.Sprintf("%s is %v, want %v", field, got[field], want[field])
		}
	}
	if actors := texts(got["actors"]); !slices.Equal(actors, n.actors) {
		return fmt.Sprintf("actors is %v, want %v", actors, n.actors)
	}
	at, _ := got["at"].(time.Time) // when it grew, by Firestore's clock
	if expires, _ := got["expireAt"].(time.Time); at.IsZero() || at.After(time.Now()) || expires.Sub(at.Add(kept)).Abs() > time.Hour {
		return fmt.Sprintf("it is of %v, and expires at %v", got["at"], got["expireAt"])
	}
	return ""
}
