package followers

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/schema"
)

// FollowRefs returns the follower document and the mirror of each follower.
func (x *Graph) FollowRefs(u string, followers []string) []*firestore.DocumentRef {
	var refs []*firestore.DocumentRef
	for _, f := range followers {
		refs = append(refs, x.db.Follower(u, f), x.db.Mirror(u, f))
	}
	return refs
}

// ReadFollowLenient is ReadFollow for any content of the mirror. It reads an unreadable
// mirror as an empty one.
func ReadFollowLenient(u, f string, truth, mirror *firestore.DocumentSnapshot) State {
	read, err := ReadFollow(f, truth, mirror)
	if schema.CheckFollow(u, f) != nil {
		read.Since = time.Time{}
	}
	if err != nil {
		read.Mirror = new(schema.Mirror)
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
			if read.Mirror != nil {
				m.Mirror = *read.Mirror
			}
			out = append(out, m)
		}
	}
	return out, nil
}
