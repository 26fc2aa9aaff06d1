package followers

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/schema"
)

// FollowRefs returns the follower document and the edge of each follower.
func (x *Graph) FollowRefs(u string, followers []string) []*firestore.DocumentRef {
	var refs []*firestore.DocumentRef
	for _, f := range followers {
		refs = append(refs, x.db.Follower(u, f), x.db.Edge(u, f))
	}
	return refs
}

// ReadFollowLenient is ReadFollow for an edge with any content. It reads an unreadable edge as an empty one.
func ReadFollowLenient(u, f string, truth, edge *firestore.DocumentSnapshot) State {
	read, err := ReadFollow(f, truth, edge)
	if schema.CheckFollow(u, f) != nil {
		read.Since = time.Time{}
	}
	if err != nil {
		read.Edge = new(schema.Edge)
	}
	return read
}

// Memberships returns the memberships of followers as they are now.
func (x *Graph) Memberships(ctx context.Context, u string, followers []string) ([]Membership, error) {
	var out []Membership
	for _, part := range store.Chunks(followers, schema.MaxBatch) {
		snaps, err := x.db.Client.GetAll(ctx, x.FollowRefs(u, part))
		if err != nil {
			return nil, err
		}
		for n, f := range part {
			read := ReadFollowLenient(u, f, snaps[2*n], snaps[2*n+1])
			m := Membership{Follows: !read.Since.IsZero(), Updated: snaps[2*n+1].UpdateTime}
			if read.Edge != nil {
				m.Edge = *read.Edge
			}
			out = append(out, m)
		}
	}
	return out, nil
}
