package followers

import (
	"slices"
	"time"

	"example.com/relationindex/internal/numbered"
	"example.com/relationindex/schema"
)

// State is a follower's state as a members transaction reads it.
type State struct {
	ID    string
	Since time.Time    // zero: no follow
	Edge  *schema.Edge // nil: none
	// Doubted means that the edge names an index document, but its createdAt differs from the follow's. Either the
	// follower has left and come back, or the index document may be another.
	Doubted bool
	updated time.Time // of the edge
	moves   bool      // joins a second index document beside the one that the edge names
}

// Placed reports whether an index document holds the follower.
func (f State) Placed() bool { return f.Edge != nil && f.Edge.IndexID != "" }

// joins reports whether the follower must join an index document.
func (f State) joins() bool { return !f.Since.IsZero() && (!f.Placed() || f.moves) }

// returns reports whether the follower has left, and come back before any handler noticed.
func (f State) returns() bool { return !f.Since.IsZero() && f.Doubted && f.Placed() && !f.moves }

// leaves reports whether the follower must leave an index document.
func (f State) leaves() bool { return f.Since.IsZero() && f.Placed() }

// Left returns the index documents that the follower left before.
func (f State) Left() []string {
	if f.Edge == nil {
		return nil
	}
	return f.Edge.Left
}

// DocumentChange is the change that a members transaction makes to an index document.
type DocumentChange struct {
	ID     string
	opened bool
	Add    []string
	Remove []string
	After  schema.IndexDocument // all but Followers
}

// membersPlan lists the writes of a members transaction.
type membersPlan struct {
	documents []DocumentChange
	// edges are the new edges of followers who join or leave.
	edges map[string]schema.Edge
	// opened are the ids of new index documents, in order.
	opened []string
	// current is the index document that new followers join from now on.
	current string
}

// capacityOf returns the capacity of an index document.
func capacityOf(o schema.Config) numbered.Capacity {
	return numbered.Capacity{Items: o.Capacity, Bytes: o.FollowersBytes}
}

// fillOf returns the fill of an index document.
func fillOf(doc schema.IndexDocument) numbered.Fill {
	return numbered.Fill{Items: doc.Count, Bytes: doc.SizeBytes, Closed: doc.Closing}
}

// planMembers chooses an index document for each joining follower, and removes each leaving follower from their index
// document. documents holds index documents of dir, without their arrays: those that followers leave, the current one,
// and others that may have room. A missing document has nothing to remove.
//
// New followers join the current index document. If it is full, or missing from documents because it is damaged, the
// first half-empty one becomes current. An index document with less room is not worth the change. The change costs a
// write of the user document and, when the document is full again, reads of all others. If there is no half-empty one,
// planMembers opens a new one.
func planMembers(follows []State, documents map[string]schema.IndexDocument, dir Directory, opts schema.Config) membersPlan {
	plan := membersPlan{edges: map[string]schema.Edge{}}
	indexes := numbered.Sequence{
		Capacity: capacityOf(opts), ID: schema.IndexID, IDs: slices.Clip(dir.IDs), Current: dir.Current, Fills: map[string]numbered.Fill{},
	}
	for id, doc := range documents {
		indexes.Fills[id] = fillOf(doc)
	}
	changes := map[string]*DocumentChange{}
	var order []string
	change := func(id string, opened bool) *DocumentChange {
		c, ok := changes[id]
		if !ok {
			c = &DocumentChange{ID: id, opened: opened, After: documents[id]}
			changes[id] = c
			order = append(order, id)
		}
		return c
	}
	for _, f := range follows {
		if !f.leaves() {
			continue
		}
		left := slices.Clone(f.Left())
		for _, i := range f.Edge.Places() {
			if !slices.Contains(left, i) { // a follower who returns and leaves again before a sync is listed once
				left = append(left, i)
			}
			if _, ok := documents[i]; !ok {
				continue
			}
			c := change(i, false)
			c.Remove = append(c.Remove, f.ID)
			indexes.Remove(i, schema.IDBytes(f.ID))
		}
		plan.edges[f.ID] = schema.Edge{CreatedAt: f.Edge.CreatedAt, Left: left}
	}
	for _, f := range follows {
		if f.returns() { // fan-outs that have read the earlier follow must see another version
			for _, i := range f.Edge.Places() {
				if _, ok := documents[i]; ok {
					change(i, false)
				}
			}
			left := slices.Clone(f.Left())
			if !slices.Contains(left, f.Edge.IndexID) {
				left = append(left, f.Edge.IndexID)
			}
			plan.edges[f.ID] = schema.Edge{IndexID: f.Edge.IndexID, CreatedAt: f.Since, Left: left, MovesTo: f.Edge.MovesTo}
		}
		if !f.joins() {
			continue
		}
		i, opened := indexes.Add(schema.IDBytes(f.ID))
		c := change(i, opened)
		if opened {
			c.After.Version = dir.version
			plan.opened = append(plan.opened, i)
		}
		c.Add = append(c.Add, f.ID)
		if f.moves && f.Placed() {
			plan.edges[f.ID] = schema.Edge{IndexID: f.Edge.IndexID, CreatedAt: f.Edge.CreatedAt, Left: f.Left(), MovesTo: i}
		} else {
			plan.edges[f.ID] = schema.Edge{IndexID: i, CreatedAt: f.Since, Left: f.Left()}
		}
	}
	plan.current = indexes.Current
	slices.Sort(order)
	for _, id := range order {
		c, fill := changes[id], indexes.Fills[id]
		c.After.Count, c.After.SizeBytes = fill.Items, fill.Bytes
		c.After.Version++
		c.After.Changes = AppendChange(c.After.Changes,
			schema.Change{Version: c.After.Version, Add: c.Add, Remove: c.Remove}, schema.MaxChangesBytes)
		plan.documents = append(plan.documents, *c)
	}
	return plan
}

// fitsBatch reports whether another follower fits a members transaction.
func fitsBatch(batch []string, next string) bool {
	if len(batch) >= schema.MaxBatch {
		return false
	}
	size := schema.IDBytes(next)
	for _, id := range batch {
		size += schema.IDBytes(id)
	}
	return size <= schema.MaxBatchBytes
}

// membersBytes estimates the bytes of a members transaction. It writes index documents of
// author u, and edges of followers, whose names and index entries repeat both ids about
// eight times.
func membersBytes(u string, followers []string, documents []DocumentChange) int {
	bytes := 8 * (schema.IDsBytes(followers) + len(followers)*schema.IDBytes(u))
	for _, d := range documents {
		bytes += d.After.SizeBytes + schema.MaxChangesBytes
	}
	return bytes
}

// Batches splits followers into parts that each fit a transaction.
func Batches(followers []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for from, n := 0, 1; n <= len(followers); n++ {
			if n == len(followers) || !fitsBatch(followers[from:n], followers[n]) {
				if !yield(followers[from:n]) {
					return
				}
				from = n
			}
		}
	}
}
