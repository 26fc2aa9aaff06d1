package oracle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// History has the writes of clients. The zero value is the history of an empty database. It is safe
// for concurrent use.
type History struct {
	// Lossy means that events get lost for good. If the event of a block is lost, the follow outlasts the
	// block, once the block has ended.
	Lossy bool

	mu    sync.Mutex
	docs  map[string][]state // by path, in the order of their times
	rests []time.Time
}

// state is a document's state from a time on.
type state struct {
	at     time.Time
	fields map[string]any // nil: the document does not exist
	rule   bool           // set by a rule, or found at the end; not written by its client
}

// Write notes the write of a document at a time, with all its fields afterwards, as the client library
// decodes them. A block ends the follows of both. Only documents that readers see or that affect feeds are noted.
func (h *History) Write(path string, at time.Time, fields map[string]any) {
	if fields == nil {
		fields = map[string]any{}
	}
	h.add(path, state{at: at, fields: fields})
	if blocker, blocked, ok := below(path, "blocked"); ok {
		h.endFollow("users/"+blocker+"/followers/"+blocked, at)
		h.endFollow("users/"+blocked+"/followers/"+blocker, at)
	}
}

// Delete notes that a client deleted a document.
func (h *History) Delete(path string, at time.Time) { h.add(path, state{at: at}) }

// Rest notes that nothing was in flight at a time: all events were handled, and all jobs had ended.
func (h *History) Rest(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rests = append(h.rests, at)
}

// Fields returns a document's fields after the last write; nil: the document does not exist.
func (h *History) Fields(path string) map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return last(h.docs[path]).fields
}

// Gone returns the accounts and posts that existed, or were deleted, and do not exist now.
func (h *History) Gone() (accounts, posts []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for path, all := range h.docs {
		collection, id, _ := strings.Cut(path, "/")
		switch {
		case strings.Contains(id, "/") || last(all).fields != nil:
		case collection == "users":
			accounts = append(accounts, id)
		default:
			posts = append(posts, id)
		}
	}
	return accounts, posts
}

// Readers returns everyone who has ever followed somebody, or was named by a post, sorted.
func (h *History) Readers() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[string]bool{}
	for path, states := range h.docs {
		if _, follower, ok := below(path, "followers"); ok {
			all[follower] = true
		}
		for _, s := range states {
			for _, reader := range texts(s.fields[schema.FieldTo]) {
				all[reader] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// decides reports whether a document affects what readers see.
func decides(path string) bool {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 2:
		return parts[0] == "users" || parts[0] == "posts"
	case len(parts) != 4:
		return false
	case parts[0] == "posts":
		return parts[2] == names.Comments || parts[2] == names.Likes
	default:
		return parts[0] == "users" && slices.Contains([]string{"followers", "blocked", "settings", "hidden"}, parts[2])
	}
}

func (h *History) add(path string, s state) {
	if !decides(path) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.docs == nil {
		h.docs = map[string][]state{}
	}
	all := h.docs[path]
	n := len(all) // commits are answered in any order
	for n > 0 && all[n-1].at.After(s.at) {
		n--
	}
	h.docs[path] = slices.Insert(all, n, s)
}

// endFollow ends a follow because of a block, unless the follow was written later.
func (h *History) endFollow(path string, at time.Time) {
	h.mu.Lock()
	there := len(h.docs[path]) > 0 && last(h.docs[path]).fields != nil && last(h.docs[path]).at.Before(at)
	h.mu.Unlock()
	if there {
		h.add(path, state{at: at, rule: true})
	}
}

// End compares the documents in the history with docs, all documents of clients at the end, and takes
// their present states into the history. It returns the differences that neither clients nor the rules
// of blocks and deleted accounts explain. So a write whose answer was lost counts as it turned out, if
// the history has an earlier write of the document.
func (h *History) End(now time.Time, docs map[string]map[string]any) (wrong []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(h.docs)) {
		is, was := docs[path], last(h.docs[path]).fields
		switch {
		case is == nil && was != nil:
			if !h.mayGo(path, docs) {
				wrong = append(wrong, path+" is gone, and nobody deleted it")
			}
			h.docs[path] = append(h.docs[path], state{at: now, rule: true})
		case is != nil && was == nil:
			if !h.Lossy || !h.outlasted(path, docs) {
				wrong = append(wrong, path+" is there, and was deleted")
			}
			h.docs[path] = append(h.docs[path], state{at: now, fields: is, rule: true})
		case is != nil:
			if field := h.changed(was, is); field != "" {
				wrong = append(wrong, fmt.Sprintf("%s has %s %v, and its client wrote %v", path, field, is[field], was[field]))
			}
			h.docs[path] = append(h.docs[path], state{at: now, fields: is, rule: true})
		}
	}
	return wrong
}

// outlasted reports whether a document is a follow that a block has ended, if that block has also
// ended.
func (h *History) outlasted(path string, docs map[string]map[string]any) bool {
	followed, follower, ok := below(path, "followers")
	return ok && last(h.docs[path]).rule && docs["users/"+followed+"/blocked/"+follower] == nil && docs["users/"+follower+"/blocked/"+followed] == nil
}

// mayGo reports whether a document may be gone without a client's deletion. Its account was deleted at
// some time, even if the account is back, or its post is gone.
func (h *History) mayGo(path string, docs map[string]map[string]any) bool {
	parts := strings.Split(path, "/")
	var accounts []string
	switch {
	case len(parts) == 4 && parts[0] == "posts":
		author, _ := last(h.docs[path]).fields[schema.FieldUserID].(string)
		if accounts = []string{author}; docs["posts/"+parts[1]] == nil {
			return true
		}
	case parts[0] == "posts":
		for _, s := range h.docs[path] {
			author, _ := s.fields[schema.FieldUserID].(string)
			accounts = append(accounts, author)
		}
	case len(parts) == 4:
		accounts = []string{parts[1], parts[3]}
	}
	return slices.ContainsFunc(accounts, h.wasDeleted)
}

// wasDeleted reports whether an account was ever deleted.
func (h *History) wasDeleted(account string) bool {
	return account != "" && slices.ContainsFunc(h.docs["users/"+account], func(s state) bool { return s.fields == nil })
}

// deleted returns the time of an account's first deletion at or after since; zero: there is none.
func (h *History) deleted(account string, since time.Time) time.Time {
	all := h.docs["users/"+account]
	if n := slices.IndexFunc(all, func(s state) bool { return s.fields == nil && !s.at.Before(since) }); n >= 0 {
		return all[n].at
	}
	return time.Time{}
}

// changed returns the name of a client's field that differs from the client's write; "": none does.
// Fields that functions write do not count. A deleted account may leave the field `to`.
func (h *History) changed(was, is map[string]any) string {
	for _, field := range slices.Sorted(maps.Keys(was)) {
		a, b := was[field], is[field]
		if reflect.DeepEqual(a, b) || same(a, b) {
			continue
		}
		switch field {
		case schema.FieldUserID, schema.FieldAudience, schema.FieldHidden, names.FieldKind, schema.FieldCreatedAt, "text":
			return field
		case schema.FieldTo:
			named, _ := a.([]any)
			left := slices.DeleteFunc(slices.Clone(named), func(v any) bool { id, _ := v.(string); return h.wasDeleted(id) })
			now, _ := b.([]any)
			for _, v := range left {
				if !slices.Contains(now, v) {
					return field
				}
			}
		}
	}
	return ""
}

// same compares times that may have been decoded in two ways.
func same(a, b any) bool {
	s, ok := a.(time.Time)
	t, also := b.(time.Time)
	return ok && also && s.Truncate(time.Microsecond).Equal(t.Truncate(time.Microsecond))
}

func last(all []state) state {
	if len(all) == 0 {
		return state{}
	}
	return all[len(all)-1]
}

// below splits the path of a document below a user's document.
func below(path, collection string) (user, id string, ok bool) {
	parts := strings.Split(path, "/")
	if len(parts) != 4 || parts[0] != "users" || parts[2] != collection {
		return "", "", false
	}
	return parts[1], parts[3], true
}

// Clone returns an independent copy.
func (h *History) Clone() *History {
	h.mu.Lock()
	defer h.mu.Unlock()
	docs := map[string][]state{}
	for path, all := range h.docs {
		docs[path] = slices.Clone(all)
	}
	return &History{Lossy: h.Lossy, docs: docs, rests: slices.Clone(h.rests)}
}
