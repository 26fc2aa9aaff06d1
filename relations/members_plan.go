package relations

import (
	"slices"
	"time"
)

// follow is a follower's state as a members transaction reads it.
type follow struct {
	id     string
	since  time.Time // zero: no follow
	mirror *Mirror   // nil: none
	// doubted: the mirror names an index document, but its createdAt differs from the
	// follow's.
	doubted bool
	updated time.Time // of the mirror
	moves   bool      // joins a second index document beside the one that the mirror names
}

// placed reports whether an index document holds the follower.
func (f follow) placed() bool { return f.mirror != nil && f.mirror.IndexID != "" }

// joins reports whether the follower must join an index document.
func (f follow) joins() bool { return !f.since.IsZero() && (!f.placed() || f.moves) }

// leaves reports whether the follower must leave an index document.
func (f follow) leaves() bool { return f.since.IsZero() && f.placed() }

// left returns the index documents that the follower left before.
func (f follow) left() []string {
	if f.mirror == nil {
		return nil
	}
	return f.mirror.Left
}

// places returns the index documents that hold the follower, according to the mirror.
func (m Mirror) places() []string {
	return slices.DeleteFunc([]string{m.IndexID, m.MovesTo}, func(i string) bool { return i == "" })
}

// documentChange is the change that a members transaction makes to an index document.
type documentChange struct {
	id     string
	opened bool
	add    []string
	remove []string
	after  IndexDocument // all but Followers
}

// membersPlan lists the writes of a members transaction.
type membersPlan struct {
	documents []documentChange
	// mirrors are the new mirrors of followers who join or leave.
	mirrors map[string]Mirror
	// opened are the ids of new index documents, in order.
	opened []string
	// current is the index document that new followers join from now on.
	current string
}

// hasRoom reports whether an index document has room for follower f. A document with a
// negative count or size has none, because nobody knows how full it is.
func hasRoom(o Options, doc IndexDocument, f string) bool {
	return !doc.closing && doc.Count >= 0 && doc.SizeBytes >= 0 && doc.Count < o.Capacity && doc.SizeBytes+idBytes(f) <= o.FollowersBytes
}

// hasHalf reports whether an index document is at most half full, and so worth making
// current. The change costs a write of the user document. When the document is full
// again, it also costs reads of all others.
func hasHalf(o Options, doc IndexDocument) bool {
	return hasRoom(o, doc, "") && 2*doc.Count <= o.Capacity && 2*doc.SizeBytes <= o.FollowersBytes
}

// planMembers chooses an index document for each joining follower, and removes the
// leaving ones from theirs. documents holds index documents of dir, without their
// arrays: those that followers leave, the current one, and others that may have room. A
// missing document has nothing to remove.
//
// New followers join the current index document. If it is full, or missing from
// documents because it is damaged, the first half empty one becomes current. If there
// is none, planMembers opens a new one.
func planMembers(follows []follow, documents map[string]IndexDocument, dir directory, opts Options) membersPlan {
	plan := membersPlan{mirrors: map[string]Mirror{}}
	changes := map[string]*documentChange{}
	var order []string
	change := func(id string, opened bool) *documentChange {
		c, ok := changes[id]
		if !ok {
			c = &documentChange{id: id, opened: opened, after: documents[id]}
			changes[id] = c
			order = append(order, id)
		}
		return c
	}
	for _, f := range follows {
		if !f.leaves() {
			continue
		}
		left := slices.Clone(f.left())
		for _, i := range f.mirror.places() {
			if !slices.Contains(left, i) { // a follower who returns and leaves again before a sync has left it once
				left = append(left, i)
			}
			if _, ok := documents[i]; !ok {
				continue
			}
			c := change(i, false)
			c.remove = append(c.remove, f.id)
			c.after.Count--
			c.after.SizeBytes -= idBytes(f.id)
		}
		plan.mirrors[f.id] = Mirror{CreatedAt: f.mirror.CreatedAt, Left: left}
	}
	plan.current = dir.current
	last := len(dir.ids)
	now := func(id string) (doc IndexDocument, there bool) {
		if c, ok := changes[id]; ok {
			return c.after, true
		}
		doc, there = documents[id]
		return doc, there
	}
	for _, f := range follows {
		if !f.joins() {
			continue
		}
		if doc, there := now(plan.current); !there || !hasRoom(opts, doc, f.id) {
			half := slices.IndexFunc(dir.ids, func(id string) bool {
				doc, there := now(id)
				return there && hasHalf(opts, doc) && hasRoom(opts, doc, f.id)
			})
			if half >= 0 {
				plan.current = dir.ids[half]
			} else {
				last++
				plan.current = indexID(last)
				plan.opened = append(plan.opened, plan.current)
				change(plan.current, true).after.Version = dir.version
			}
		}
		c := change(plan.current, false)
		c.add = append(c.add, f.id)
		c.after.Count++
		c.after.SizeBytes += idBytes(f.id)
		if f.moves && f.placed() {
			plan.mirrors[f.id] = Mirror{IndexID: f.mirror.IndexID, CreatedAt: f.mirror.CreatedAt, Left: f.left(), MovesTo: plan.current}
		} else {
			plan.mirrors[f.id] = Mirror{IndexID: plan.current, CreatedAt: f.since, Left: f.left()}
		}
	}
	slices.Sort(order)
	for _, id := range order {
		c := changes[id]
		c.after.Version++
		c.after.Changes = appendChange(c.after.Changes,
			Change{Version: c.after.Version, Add: c.add, Remove: c.remove}, maxChangesBytes)
		plan.documents = append(plan.documents, *c)
	}
	return plan
}

// fitsBatch reports whether another follower fits a members transaction.
func fitsBatch(batch []string, next string) bool {
	if len(batch) >= maxBatch {
		return false
	}
	size := idBytes(next)
	for _, id := range batch {
		size += idBytes(id)
	}
	return size <= maxBatchBytes
}
