package jobs

import (
	"fmt"
	"strconv"

	"cloud.google.com/go/firestore"
)

// MaxLanes is the most lanes of a job: one transaction writes all of them, and their
// numbers have two digits.
const MaxLanes = 100

// Lane is the part of a walk that one of several jobs does: the documents with ids from
// From up to To, without To. An empty string is no bound. A lane goes through all
// phases of its task by itself.
type Lane struct {
	Parent string `firestore:"parent"` // id of the parent job
	From   string `firestore:"from"`
	To     string `firestore:"to"`
	// Reported is the progress that the parent already shows.
	Reported Reported `firestore:"reported"`
}

// Reported is the progress of a lane.
type Reported struct {
	Done   int64            `firestore:"done"`
	Total  int64            `firestore:"total"`
	Counts map[string]int64 `firestore:"counts"`
}

// laneID returns the id of a parent's n-th lane: "reindex~07".
func laneID(parent string, n int) string { return fmt.Sprintf("%s~%02d", parent, n) }

// LaneOf returns the parent and the number of the lane with this id. ok is false if id
// is not a lane's.
func LaneOf(id string) (parent string, n int, ok bool) {
	at := len(id) - len("~00")
	if at < 1 {
		return "", 0, false
	}
	n, err := strconv.Atoi(id[at+1:])
	parent = id[:at]
	return parent, n, err == nil && n >= 0 && laneID(parent, n) == id
}

// LaneRefs returns the documents of a parent's lanes, in order; none for another job.
func (s *Store) LaneRefs(parent Job) []*firestore.DocumentRef {
	refs := make([]*firestore.DocumentRef, max(0, min(parent.Lanes, MaxLanes)))
	for n := range refs {
		refs[n] = s.Ref(laneID(parent.ID, n))
	}
	return refs
}
