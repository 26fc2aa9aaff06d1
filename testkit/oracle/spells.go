package oracle

import (
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// span is the time from one moment to another.
type span struct{ from, to time.Time }

// spell is a time in which a post is readable and does not change.
type spell struct {
	span
	post, author, audience string // audience "": no followers get it
	named                  []string
	kind                   string
	created                time.Time // createdAt
	leaves                 time.Time // from then on, it may be gone with its author's account; zero: it stays to the end
	fields                 map[string]any
}

// follow is one life of a follower document.
type follow struct {
	span
	f        time.Time   // createdAt of the last write
	earliest time.Time   // earliest createdAt
	all      []time.Time // each createdAt
}

// comment is a present or past comment.
type comment struct {
	author, audience string
	at               time.Time // createdAt, but no later than its creation
	there            bool
}

// pair is two accounts: a follower or blocker, and the account followed or blocked.
type pair struct{ by, of string }

// world is a history, sorted.
type world struct {
	now      time.Time
	rests    []time.Time        // sorted
	posts    map[string][]spell // by id
	sent     map[string][]spell // by audience
	follows  map[pair][]follow
	followed map[string][]string // by reader: accounts and groups followed now or earlier
	blocks   map[pair][]span
	comments map[string][]comment // by post
	settings map[string]readers.Settings
	readAt   map[string]time.Time // by reader: time up to which they have read
	hides    map[pair]bool        // reader and post
	decided  map[string]time.Time // by reader: last write of their settings
	profiles map[string]time.Time // by person: since when they have a profile, without a break
}

// sorted sorts a history, up to now.
func sorted(h *History, now time.Time) *world {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := &world{
		now: now, rests: slices.SortedFunc(slices.Values(h.rests), time.Time.Compare), posts: map[string][]spell{}, sent: map[string][]spell{}, follows: map[pair][]follow{}, followed: map[string][]string{},
		blocks: map[pair][]span{}, comments: map[string][]comment{}, settings: map[string]readers.Settings{}, readAt: map[string]time.Time{}, hides: map[pair]bool{}, decided: map[string]time.Time{}, profiles: map[string]time.Time{},
	}
	for _, path := range slices.Sorted(maps.Keys(h.docs)) {
		all, parts := h.docs[path], strings.Split(path, "/")
		switch {
		case len(parts) == 2 && parts[0] == "posts":
			w.addPost(parts[1], all, h.deleted)
		case len(parts) == 4 && parts[0] == "posts" && parts[2] == names.Comments:
			w.addComment(parts[1], all)
		case len(parts) == 2 && parts[0] == "users" && last(all).fields != nil:
			n := len(all) - 1
			for n > 0 && all[n-1].fields != nil {
				n--
			}
			w.profiles[parts[1]] = all[n].at
		case len(parts) != 4:
		case parts[2] == "followers" && schema.CheckFollow(parts[1], parts[3]) == nil:
			w.addFollow(pair{parts[3], parts[1]}, all)
		case parts[2] == "blocked":
			w.addBlock(pair{parts[1], parts[3]}, all)
		case parts[2] == "settings" && parts[3] == "feed":
			w.settings[parts[1]] = settingsOf(last(all).fields)
			for _, s := range all {
				if !s.rule {
					w.decided[parts[1]] = s.at
				}
			}
		case parts[2] == "settings" && parts[3] == "read":
			w.readAt[parts[1]], _ = last(all).fields[readers.FieldReadAt].(time.Time)
		case parts[2] == "hidden":
			w.hides[pair{parts[1], parts[3]}] = last(all).fields != nil
		}
	}
	return w
}

// until returns the end of the n-th state. The last state ends after now.
func (w *world) until(all []state, n int) time.Time {
	if n+1 < len(all) {
		return all[n+1].at
	}
	return w.now.Add(time.Nanosecond)
}

// lasts reports whether a span has not ended yet.
func (w *world) lasts(s span) bool { return s.to.After(w.now) }

// addPost adds the spells of a post. deleted returns the first deletion of an account at or after a
// time; zero: none. The moment at which a post goes with its account is unknown.
func (w *world) addPost(id string, all []state, deleted func(account string, since time.Time) time.Time) {
	for n, s := range all {
		if s.fields == nil {
			continue
		}
		author, _ := s.fields[schema.FieldUserID].(string)
		created, ok := s.fields[schema.FieldCreatedAt].(time.Time)
		if !ok || schema.CheckAccountID(author) != nil || s.fields[schema.FieldHidden] == true {
			continue
		}
		audience, _ := schema.AudienceOf(author, s.fields)
		to, _ := schema.RecipientsOf(author, s.fields, false)
		kind, _ := s.fields[names.FieldKind].(string)
		p := spell{span{s.at, w.until(all, n)}, id, author, audience, to, kind, created, time.Time{}, s.fields}
		if n+1 < len(all) && all[n+1].fields == nil && all[n+1].rule {
			p.leaves = deleted(author, s.at)
		}
		w.posts[id] = append(w.posts[id], p)
		if audience != "" {
			w.sent[audience] = append(w.sent[audience], p)
		}
	}
}

func (w *world) addComment(post string, all []state) {
	for _, s := range all {
		if s.fields == nil {
			continue
		}
		made, ok := s.fields[schema.FieldCreatedAt].(time.Time)
		if !ok || made.After(s.at) {
			made = s.at
		}
		c := comment{at: made.Truncate(time.Microsecond), there: last(all).fields != nil}
		c.author, _ = s.fields[schema.FieldUserID].(string)
		c.audience, _ = s.fields[schema.FieldAudience].(string)
		w.comments[post] = append(w.comments[post], c)
		return // no client edits the comment's createdAt
	}
}

func (w *world) addFollow(p pair, all []state) {
	lives := w.follows[p]
	for n, s := range all {
		if s.fields == nil {
			continue
		}
		f, ok := s.fields[schema.FieldCreatedAt].(time.Time)
		if !ok {
			f = s.at
		}
		if n > 0 && all[n-1].fields != nil {
			l := &lives[len(lives)-1]
			l.to, l.f, l.all = w.until(all, n), f, append(l.all, f)
			if f.Before(l.earliest) {
				l.earliest = f
			}
			continue
		}
		lives = append(lives, follow{span{s.at, w.until(all, n)}, f, f, []time.Time{f}})
	}
	if len(lives) > 0 {
		w.follows[p] = lives
		w.followed[p.by] = append(w.followed[p.by], p.of)
	}
}

func (w *world) addBlock(p pair, all []state) {
	for n, s := range all {
		if s.fields != nil {
			w.blocks[p] = append(w.blocks[p], span{s.at, w.until(all, n)})
		}
	}
}

func settingsOf(fields map[string]any) (s readers.Settings) {
	s.SeenAt, _ = fields[readers.FieldSeenAt].(time.Time)
	s.Hide, s.Show = texts(fields[readers.FieldHide]), texts(fields[readers.FieldShow])
	return s
}

// texts returns the texts in a list.
func texts(value any) (all []string) {
	values, _ := value.([]any)
	for _, v := range values {
		if text, ok := v.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// lastly returns the spell in which a post is readable now.
func (w *world) lastly(post string) (spell, bool) {
	all := w.posts[post]
	if len(all) == 0 || !w.lasts(all[len(all)-1].span) {
		return spell{}, false
	}
	return all[len(all)-1], true
}

// follow returns the present life of a follow; ok is false if there is none.
func (w *world) follow(reader, audience string) (f follow, ok bool) {
	all := w.follows[pair{reader, audience}]
	if audience == "" || len(all) == 0 || !w.lasts(all[len(all)-1].span) {
		return follow{}, false
	}
	return all[len(all)-1], true
}

// common returns the overlap of two spans.
func (s span) common(o span) (span, bool) {
	if o.from.After(s.from) {
		s.from = o.from
	}
	if o.to.Before(s.to) {
		s.to = o.to
	}
	return s, s.from.Before(s.to)
}

// nextRest returns the first rest at or after a time; now if there is none.
func (w *world) nextRest(at time.Time) time.Time {
	if n := slices.IndexFunc(w.rests, func(t time.Time) bool { return !t.Before(at) }); n >= 0 {
		return w.rests[n]
	}
	return w.now
}

// rested reports whether there was a rest in a span.
func (w *world) rested(from, to time.Time) bool {
	return slices.ContainsFunc(w.rests, func(t time.Time) bool { return !t.Before(from) && !t.After(to) })
}
