package entries

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// hides checks that each post that a reader hides has its document in [names.Hides], and makes it: only for such a post
// does a fan-out look who hides it. It is missing if settings were off when the reader hid the post. It costs a read for
// each post that a reader hides, and one for each of these posts, unless it remembers them.
func (c *care) hides(ctx context.Context) error {
	if !c.db.Options.Settings {
		return nil
	}
	for snap, err := range c.below(ctx, names.HiddenPosts) {
		if err != nil {
			return err
		}
		reader, p := snap.Ref.Parent.Parent.ID, snap.Ref.ID
		if c.known.values[p] || schema.CheckPostID(p) != nil {
			continue
		}
		docs, err := c.db.Client.GetAll(ctx, []*firestore.DocumentRef{c.db.Hides(p)})
		if err != nil {
			return err
		}
		if docs[0].Exists() || !c.mend { // a repair asks again: this reader may show the post meanwhile, and others hide it
			c.known.keep(p, true, 1)
		}
		if docs[0].Exists() {
			continue
		}
		if c.found(c.db.Hides(p).Path, "", "is missing, though "+reader+" hides the post"); c.mend {
			if err := readers.Hidden(ctx, c.db, reader, p); err != nil {
				return err
			}
		}
	}
	return nil
}
