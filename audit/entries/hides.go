package entries

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// hides checks, and in a repair ensures, that each hidden post has a document in [names.Hides]. A fan-out checks the
// readers' hidden posts only if that document exists. It is missing if settings were off when the reader hid the post.
// hides costs a read for each post that a reader hides, and one for each distinct post that it does not remember.
func (c *care) hides(ctx context.Context) error {
	if !c.db.Config.ReaderSettings {
		return nil
	}
	by := map[string][]string{} // readers, by the post that they hide
	for snap, err := range c.below(ctx, names.HiddenPosts) {
		if err != nil {
			return err
		}
		reader, p := snap.Ref.Parent.Parent.ID, snap.Ref.ID
		if c.known.values[hide(p, reader)] || schema.CheckPostID(p) != nil {
			continue
		}
		if by[p] = append(by[p], reader); len(by) == batch || len(by[p]) == batch {
			if err := c.hidden(ctx, by); err != nil {
				return err
			}
			clear(by)
		}
	}
	return c.hidden(ctx, by)
}

// hide returns the key of a hidden post in known, the same for all readers of a group.
func hide(p, reader string) string { return p + "/" + readers.GroupOf(reader) }

// hidden is hides for up to batch posts. A reader may show the post again meanwhile.
func (c *care) hidden(ctx context.Context, by map[string][]string) error {
	var refs []*firestore.DocumentRef
	for p := range by {
		refs = append(refs, c.db.Hides(p))
	}
	if len(refs) == 0 {
		return nil
	}
	docs, err := c.db.Client.GetAll(ctx, refs)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		p, may, told := doc.Ref.ID, readers.MayHide(doc), false
		for _, reader := range by[p] {
			known := may(reader) || c.known.values[hide(p, reader)]
			if known || !c.mend {
				c.known.keep(hide(p, reader), true, 1)
			}
			if known {
				continue
			}
			if !told {
				told = true
				c.found(doc.Ref.Path, "", "does not say that "+reader+" hides the post")
			}
			if !c.mend {
				continue
			}
			there, err := readers.Hidden(ctx, c.db, reader, p)
			if theirs(err) {
				c.count.Unrepaired++
				c.found(doc.Ref.Path, "", fmt.Sprintf("is not repaired: %v. After that, run repair-timelines again", err))
			} else if err != nil {
				return err
			}
			if there || err != nil {
				c.known.keep(hide(p, reader), true, 1)
			}
		}
	}
	return nil
}
