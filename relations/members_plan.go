package relations

import (
	"slices"
	"time"
)

// follow is what a members transaction read of one follower.
type follow struct {
	id     string
	since  time.Time // zero: does not follow
	mirror *Mirror   // nil: none
	// doubted: the mirror has a place and is not of the follow that is there.
	doubted bool
	updated time.Time // of the mirror
	moves   bool      // is put into another index document beside the one that the mirror names
}

// placed reports that an index document holds the follower.
func (f follow) placed() bool { return f.mirror != nil && f.mirror.IndexID != "" }

// joins reports that the follower has to be put into an index document.
func (f follow) joins() bool { return !f.since.IsZero() && (!f.placed() || f.moves) }

// leaves reports that the follower has to be taken out of one.
func (f follow) leaves() bool { return f.since.IsZero() && f.placed() }

// left are the index documents that the follower was taken out of before.
func (f follow) left() []string {
	if f.mirror == nil {
		return nil
	}
	return f.mirror.Left
}

// places are the index documents that hold the follower, as the mirror says.
func (m Mirror) places() []string {
	return slices.DeleteFunc([]string{m.IndexID, m.MovesTo}, func(i string) bool { return i == "" })
}

// documentChange is what a members transaction does to one index document.
type documentChange struct {
	id     string
	opened bool
	add    []string
	remove []string
	after  IndexDocument // all but Followers
}

// membersPlan is what a members transaction writes.
type membersPlan struct {
	documents []documentChange
	// mirrors are the new mirrors of those who join or leave.
	mirrors map[string]Mirror
	// opened are the ids of new index documents, in order.
	opened []string
	// current is the index document that takes who joins next.
	current string
}

// hasRoom reports that an index document may take the id of a follower. A count
// or a size that cannot be is not believed: nobody knows how full it is.
func (o Options) hasRoom(doc IndexDocument, f string) bool {
	return !doc.closing && doc.Count >= 0 && doc.SizeBytes >= 0 && doc.Count < o.Capacity && doc.SizeBytes+idBytes(f) <= o.FollowersBytes
}

// hasHalf reports that an index document is half empty at least: that it is
// worth a change of the one that is current, which costs a write of the user
// document, and reads of all others when it is full again.
func (o Options) hasHalf(doc IndexDocument) bool {
	return o.hasRoom(doc, "") && 2*doc.Count <= o.Capacity && 2*doc.SizeBytes <= o.FollowersBytes
}

// planMembers decides which index document each joining follower goes to and
// takes the leaving ones out of theirs. documents holds index documents of dir
// without their followers: those that the leaving followers are in (one that is
// missing has nothing to take out), the current one, and others that may have room.
//
// Who joins goes to the current one; where that is full, or not among documents
// because it is damaged, to the first that is half empty, which is current from
// then on; and to a new one where there is none.
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
			if !slices.Contains(left, i) { // who comes and goes before a sync has left it once
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
		if doc, there := now(plan.current); !there || !opts.hasRoom(doc, f.id) {
			half := slices.IndexFunc(dir.ids, func(id string) bool {
				doc, there := now(id)
				return there && opts.hasHalf(doc) && opts.hasRoom(doc, f.id)
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

// fitsBatch says whether one more follower fits a members transaction.
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
