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

// History is what clients have written. The zero value is that of an empty database. It is safe for
// concurrent use.
type History struct {
	// Lossy says that events get lost for good: then a follow outlasts a block whose event did, once that has ended.
	Lossy bool

	mu    sync.Mutex
	docs  map[string][]state // by path, in the order of their times
	rests []time.Time
}

// state is a document from a time on.
type state struct {
	at     time.Time
	fields map[string]any // nil: it is not there
	rule   bool           // it is so by a rule, or was found so at the end, and not written by its client
}

// Write notes that a document was written at a time, and what it has since: values as the library of
// clients decodes them. A follow ends with a block. Documents that decide nothing are not noted.
func (h *History) Write(path string, at time.Time, fields map[string]any) {
	if fields == nil {
		fields = map[string]any{}
	}
	h.add(path, state{at: at, fields: fields})
	if blocker, blocked, ok := below(path, "blocked"); ok {
		h.endFollow("users/"+blocker+"/followers/"+blocked, at)
	}
}

// Delete notes that a client deleted a document.
func (h *History) Delete(path string, at time.Time) { h.add(path, state{at: at}) }

// Rest notes that nothing was in flight at a time: all events were handled, and all jobs done.
func (h *History) Rest(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rests = append(h.rests, at)
}

// Fields returns what a document has after the last write; nil: it is not there.
func (h *History) Fields(path string) map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return last(h.docs[path]).fields
}

// decides reports whether a document has to do with what readers see.
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
	n := len(all) // answers come in any order
	for n > 0 && all[n-1].at.After(s.at) {
		n--
	}
	h.docs[path] = slices.Insert(all, n, s)
}

// endFollow ends a follow by a block, unless it was written later.
func (h *History) endFollow(path string, at time.Time) {
	h.mu.Lock()
	there := len(h.docs[path]) > 0 && last(h.docs[path]).fields != nil && last(h.docs[path]).at.Before(at)
	h.mu.Unlock()
	if there {
		h.add(path, state{at: at, rule: true})
	}
}

// End takes what is there at the end, of all documents that clients write, and returns what neither
// clients nor the rules of blocks and deleted accounts explain. An answer that was lost counts as it
// turned out.
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

// outlasted reports whether a document is a follow that a block has ended, and the block has ended too.
func (h *History) outlasted(path string, docs map[string]map[string]any) bool {
	followed, follower, ok := below(path, "followers")
	return ok && last(h.docs[path]).rule && docs["users/"+followed+"/blocked/"+follower] == nil
}

// mayGo reports whether a document may be gone without a client: it is of an account that was deleted,
// though it may be back, or of a post that is gone.
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

// wasDeleted reports whether an account was deleted at any time.
func (h *History) wasDeleted(account string) bool {
	return account != "" && slices.ContainsFunc(h.docs["users/"+account], func(s state) bool { return s.fields == nil })
}

// deleted returns when an account was first deleted at a time or later; zero: never.
func (h *History) deleted(account string, since time.Time) time.Time {
	all := h.docs["users/"+account]
	if n := slices.IndexFunc(all, func(s state) bool { return s.fields == nil && !s.at.Before(since) }); n >= 0 {
		return all[n].at
	}
	return time.Time{}
}

// changed returns a field of the client's that is not as they wrote it. A deleted account leaves the
// fields that name it.
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

// same compares times, which may have been decoded in two ways.
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

// below splits the path of a document below a user's.
func below(path, collection string) (user, id string, ok bool) {
	parts := strings.Split(path, "/")
	if len(parts) != 4 || parts[0] != "users" || parts[2] != collection {
		return "", "", false
	}
	return parts[1], parts[3], true
}

// Clone returns a copy, which goes on by itself.
func (h *History) Clone() *History {
	h.mu.Lock()
	defer h.mu.Unlock()
	docs := map[string][]state{}
	for path, all := range h.docs {
		docs[path] = slices.Clone(all)
	}
	return &History{Lossy: h.Lossy, docs: docs, rests: slices.Clone(h.rests)}
}
