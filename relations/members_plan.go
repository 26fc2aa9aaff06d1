package relations

import (
	"slices"
	"time"

	"example.com/relationindex/internal/runtime/numbered"
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

// capacityOf returns the capacity of an index document.
func capacityOf(o Options) numbered.Capacity {
	return numbered.Capacity{Items: o.Capacity, Bytes: o.FollowersBytes}
}

// fillOf returns what an index document holds.
func fillOf(doc IndexDocument) numbered.Fill {
	return numbered.Fill{Items: doc.Count, Bytes: doc.SizeBytes, Closed: doc.closing}
}

// planMembers chooses an index document for each joining follower, and removes the
// leaving ones from theirs. documents holds index documents of dir, without their
// arrays: those that followers leave, the current one, and others that may have room. A
// missing document has nothing to remove.
//
// New followers join the current index document. If it is full, or missing from
// documents because it is damaged, the first half empty one becomes current. Less room is
// not worth that: the change costs a write of the user document and, when the document is
// full again, reads of all others. If there is none, planMembers opens a new one.
func planMembers(follows []follow, documents map[string]IndexDocument, dir directory, opts Options) membersPlan {
	plan := membersPlan{mirrors: map[string]Mirror{}}
	indexes := numbered.Sequence{
		Capacity: capacityOf(opts), ID: indexID, IDs: slices.Clip(dir.ids), Current: dir.current, Fills: map[string]numbered.Fill{},
	}
	for id, doc := range documents {
		indexes.Fills[id] = fillOf(doc)
	}
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
			indexes.Remove(i, idBytes(f.id))
		}
		plan.mirrors[f.id] = Mirror{CreatedAt: f.mirror.CreatedAt, Left: left}
	}
	for _, f := range follows {
		if !f.joins() {
			continue
		}
		i, opened := indexes.Add(idBytes(f.id))
		c := change(i, opened)
		if opened {
			c.after.Version = dir.version
			plan.opened = append(plan.opened, i)
		}
		c.add = append(c.add, f.id)
		if f.moves && f.placed() {
			plan.mirrors[f.id] = Mirror{IndexID: f.mirror.IndexID, CreatedAt: f.mirror.CreatedAt, Left: f.left(), MovesTo: i}
		} else {
			plan.mirrors[f.id] = Mirror{IndexID: i, CreatedAt: f.since, Left: f.left()}
		}
	}
	plan.current = indexes.Current
	slices.Sort(order)
	for _, id := range order {
		c, fill := changes[id], indexes.Fills[id]
		c.after.Count, c.after.SizeBytes = fill.Items, fill.Bytes
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
