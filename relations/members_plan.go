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
}

// placed reports that an index document holds the follower.
func (f follow) placed() bool { return f.mirror != nil && f.mirror.IndexID != "" }

// joins reports that the follower has to be put into an index document.
func (f follow) joins() bool { return !f.since.IsZero() && !f.placed() }

// leaves reports that the follower has to be taken out of one.
func (f follow) leaves() bool { return f.since.IsZero() && f.placed() }

// left are the index documents that the follower was taken out of before.
func (f follow) left() []string {
	if f.mirror == nil {
		return nil
	}
	return f.mirror.Left
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
}

// planMembers decides which index document each joining follower goes to and
// takes the leaving ones out of theirs. documents holds the index documents
// that are touched, without their followers: those that the leaving followers
// are in (one that is missing has nothing to take out), and the latest, which
// has number latest (0: there is none). Without the latest, as where it is
// damaged, who joins goes to a new one.
func planMembers(follows []follow, documents map[string]IndexDocument, latest int, opts Options) membersPlan {
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
		if !slices.Contains(left, f.mirror.IndexID) { // who comes and goes before a sync has left it once
			left = append(left, f.mirror.IndexID)
		}
		plan.mirrors[f.id] = Mirror{CreatedAt: f.mirror.CreatedAt, Left: left}
		if _, ok := documents[f.mirror.IndexID]; !ok {
			continue
		}
		c := change(f.mirror.IndexID, false)
		c.remove = append(c.remove, f.id)
		c.after.Count--
		c.after.SizeBytes -= idBytes(f.id)
	}
	current := indexID(latest)
	for _, f := range follows {
		if !f.joins() {
			continue
		}
		doc, usable := documents[current]
		if c, ok := changes[current]; ok {
			doc, usable = c.after, true
		}
		if !usable || doc.Count >= opts.Capacity || doc.SizeBytes+idBytes(f.id) > opts.FollowersBytes {
			latest++
			current = indexID(latest)
			plan.opened = append(plan.opened, current)
			change(current, true)
		}
		c := change(current, false)
		c.add = append(c.add, f.id)
		c.after.Count++
		c.after.SizeBytes += idBytes(f.id)
		plan.mirrors[f.id] = Mirror{IndexID: current, CreatedAt: f.since, Left: f.left()}
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
