package plan

import (
	"example.com/relationindex/schema"
)

// Delta returns the net effect of the changes with versions in (from, to]. Each id is in at most one of the two lists,
// by its last change. ok is false if the log does not reach back to from, or lacks a version between from and to.
func Delta(changes []schema.Change, from, to int64) (add, remove []string, ok bool) {
	if from >= to {
		return nil, nil, true
	}
	last := map[string]bool{} // id → added
	var order []string
	note := func(ids []string, added bool) {
		for _, id := range ids {
			if _, seen := last[id]; !seen {
				order = append(order, id)
			}
			last[id] = added
		}
	}
	next := from + 1
	for _, c := range changes {
		if c.Version < next {
			continue
		}
		if c.Version != next {
			return nil, nil, false
		}
		note(c.Remove, false)
		note(c.Add, true)
		next++
	}
	if next <= to {
		return nil, nil, false
	}
	for _, id := range order {
		if last[id] {
			add = append(add, id)
		} else {
			remove = append(remove, id)
		}
	}
	return add, remove, true
}

// Logged splits stale relations of an index document. The change log brings logged up to date. behind are older than the
// change log, and need the whole array.
func Logged(index schema.IndexDocument, stale []Relation) (logged, behind []Relation) {
	for _, r := range stale {
		if _, _, ok := Delta(index.Changes, r.Version, index.Version); ok {
			logged = append(logged, r)
		} else {
			behind = append(behind, r)
		}
	}
	return logged, behind
}
