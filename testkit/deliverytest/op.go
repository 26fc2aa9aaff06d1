package deliverytest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/testkit/stories"
)

// kind is the kind of a client's operation.
type kind string

const (
	follows   kind = "follows"   // reader follows author
	unfollows kind = "unfollows" // reader ends that follow
	posts     kind = "posts"     // the content's author writes post, new or edited
	deletes   kind = "deletes"   // post is deleted
	leaves    kind = "leaves"    // author deletes their account, or a group is deleted
	decides   kind = "decides"   // reader writes their decisions
	hides     kind = "hides"     // reader hides post
	shows     kind = "shows"     // reader ends that hiding
	comments  kind = "comments"  // author comments on post
	blocks    kind = "blocks"    // reader begins to block author; each may be a reader, an author or a group
	unblocks  kind = "unblocks"  // reader ends that block
)

// op is one write of a client.
type op struct {
	kind                 kind
	reader, author, post string
	content              written // of a post
	decided              decided // by the reader
}

func (o op) String() string {
	switch o.kind {
	case posts:
		return fmt.Sprintf("posts %s %+v", o.post, o.content)
	case decides:
		return fmt.Sprintf("%s decides %+v", o.reader, o.decided)
	default:
		return fmt.Sprintf("%s %s %s %s", o.reader, o.author, o.kind, o.post)
	}
}

// write writes the document.
func (o op) write(ctx context.Context, client *firestore.Client) (err error) {
	switch o.kind {
	case follows:
		_, err = client.Doc("users/"+o.author+"/followers/"+o.reader).Set(ctx, map[string]any{"createdAt": followedAt()})
	case unfollows:
		_, err = client.Doc("users/" + o.author + "/followers/" + o.reader).Delete(ctx)
	case posts:
		_, err = client.Doc("posts/"+o.post).Set(ctx, o.content.fields())
	case deletes:
		_, err = client.Doc("posts/" + o.post).Delete(ctx)
	case leaves:
		_, err = client.Doc("users/" + o.author).Delete(ctx)
	case decides:
		_, err = client.Doc("users/"+o.reader+"/settings/feed").Set(ctx, o.decided.fields())
	case hides:
		_, err = client.Doc("users/"+o.reader+"/hidden/"+o.post).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
	case shows:
		_, err = client.Doc("users/" + o.reader + "/hidden/" + o.post).Delete(ctx)
	case comments:
		_, err = client.Doc("posts/"+o.post+"/comments/"+o.comment()).Set(ctx, map[string]any{"userId": o.author, "createdAt": firestore.ServerTimestamp})
	case blocks:
		_, err = client.Doc("users/"+o.reader+"/blocked/"+o.author).Create(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
	case unblocks:
		_, err = client.Doc("users/" + o.reader + "/blocked/" + o.author).Delete(ctx)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", o, err)
	}
	return nil
}

// followedAt returns the createdAt of a follow, as a server writes it. The time is later than earlier
// follows, and before all posts: so a follow brings all posts.
func followedAt() time.Time { return stories.Day.Add(-24*time.Hour + time.Since(began)) }

var began = time.Now()

// fields returns the fields of the post's document.
func (p written) fields() map[string]any {
	fields := map[string]any{"userId": p.author, "createdAt": stories.Day.Add(time.Duration(p.at) * apart)}
	if !p.old {
		fields["audience"], fields["hidden"] = p.audience, p.hidden
	}
	if len(p.to) > 0 {
		fields["to"] = p.to
	}
	if p.kind != "" {
		fields["kind"] = p.kind
	}
	return fields
}

// apart is the time between two posts, so that posts are on several days.
const apart = 9 * time.Hour

// comment returns the id of the comment. A comment is never written again.
func (o op) comment() string { return o.author + "-comments" }

// event returns the event of the write, which has just been made. before has the reader's earlier decisions.
func (o op) event(before decided) event {
	switch o.kind {
	case follows, unfollows:
		return followEvent(follow{o.author, o.reader})
	case leaves:
		return event{"deletion of " + o.author, func(ctx context.Context, s System) error { return s.Accounts.Purge(ctx, o.author, "1", "") }}
	case decides:
		hides, shows := before.change(o.decided)
		return event{"settings of " + o.reader, func(ctx context.Context, s System) error { return s.Decisions.Decided(ctx, o.reader, hides, shows) }}
	case hides, shows:
		return hiddenEvent(mark{o.post, o.reader})
	case comments:
		return event{"comment of " + o.author + " on " + o.post, func(ctx context.Context, s System) error { return s.Comment(ctx, o.post, o.comment()) }}
	case blocks, unblocks:
		return blockEvent(block{o.reader, o.author}, o.kind == blocks)
	default:
		return postEvent(o.post)
	}
}

// event has a handler's call, with ids alone.
type event struct {
	name   string
	handle func(context.Context, System) error
}

func followEvent(f follow) event {
	return event{"follow of " + f.author + " by " + f.reader, func(ctx context.Context, s System) error { return s.Graph.Follow(ctx, f.author, f.reader) }}
}

func postEvent(post string) event {
	return event{"post " + post, func(ctx context.Context, s System) error { return s.Graph.Deliveries().Post(ctx, post) }}
}

func hiddenEvent(m mark) event {
	return event{"hiding of " + m.post + " by " + m.reader, func(ctx context.Context, s System) error { return s.Decisions.Hide(ctx, m.reader, m.post) }}
}

// blockEvent returns the event of a block that begins or ends now.
func blockEvent(b block, begins bool) event {
	at := time.Now()
	return event{fmt.Sprintf("block of %s by %s, begins: %t", b.of, b.by, begins), func(ctx context.Context, s System) error {
		return s.Block(ctx, b.by, b.of, at, begins)
	}}
}

// then returns e, and after it the events of what its handler has deleted. If they fail, e comes again.
func (e event) then(more []event) event {
	return event{e.name, func(ctx context.Context, s System) error {
		err := e.handle(ctx, s)
		for _, next := range more {
			if err == nil {
				err = next.handle(ctx, s)
			}
		}
		return err
	}}
}

// block names a document by which an account blocks another.
type block struct{ by, of string }

// follow names a follower document. The author may be a group.
type follow struct{ author, reader string }

// written is a post as the author has written it.
type written struct {
	author   string
	audience string   // the author, a group, or "" for nobody; its followers get the post
	to       []string // readers who get the post, whether or not they follow
	hidden   bool     // nobody gets the post
	kind     string   // readers hide posts by kind
	old      bool     // the document has no field audience
	at       int      // its createdAt, in steps of apart; no two posts have the same
}

// model has the present documents of clients. From them follow the operations that clients may do
// next, and the events. The oracle, not the model, computes what feeds must show.
type model struct {
	follows map[follow]bool
	posts   map[string]written
	readers map[string]bool // everyone who has ever followed, or was in a `to`
	gone    map[string]bool // deleted accounts and posts, which nothing may name
	decided map[string]decided
	hidden  map[mark]bool
	blocked map[block]bool
	people  map[string]bool // everyone who was in a `to`, and so got a profile
}

func newModel() *model {
	return &model{
		follows: map[follow]bool{}, posts: map[string]written{}, readers: map[string]bool{}, gone: map[string]bool{},
		decided: map[string]decided{}, hidden: map[mark]bool{}, blocked: map[block]bool{}, people: map[string]bool{},
	}
}

func (m *model) clone() *model {
	return &model{
		maps.Clone(m.follows), maps.Clone(m.posts), maps.Clone(m.readers), maps.Clone(m.gone),
		maps.Clone(m.decided), maps.Clone(m.hidden), maps.Clone(m.blocked), maps.Clone(m.people),
	}
}

// ends returns the follows that a block ends.
func (m *model) ends(b block) (all []follow) {
	for _, f := range []follow{{b.of, b.by}, {b.by, b.of}} {
		if m.follows[f] {
			all = append(all, f)
		}
	}
	return all
}

// apart reports whether one of two accounts blocks the other. Then neither may follow.
func (m *model) apart(a, b string) bool { return m.blocked[block{a, b}] || m.blocked[block{b, a}] }

func (m *model) apply(o op) {
	switch o.kind {
	case follows:
		m.follows[follow{o.author, o.reader}] = true
		m.readers[o.reader] = true
	case unfollows:
		delete(m.follows, follow{o.author, o.reader})
	case posts:
		m.posts[o.post] = o.content
		delete(m.gone, o.post)
		for _, reader := range o.content.to {
			m.readers[reader] = true
		}
	case deletes:
		delete(m.posts, o.post)
		m.gone[o.post] = true
	case decides:
		m.decided[o.reader] = o.decided
	case hides:
		m.hidden[mark{o.post, o.reader}] = true
	case shows:
		delete(m.hidden, mark{o.post, o.reader})
	case blocks:
		for _, f := range m.ends(block{o.reader, o.author}) {
			delete(m.follows, f)
		}
		m.blocked[block{o.reader, o.author}] = true
	case unblocks:
		delete(m.blocked, block{o.reader, o.author})
	case comments: // a comment changes no later operation
	case leaves:
		m.gone[o.author] = true
		delete(m.decided, o.author)
		maps.DeleteFunc(m.blocked, func(b block, _ bool) bool { return b.by == o.author })
		maps.DeleteFunc(m.hidden, func(k mark, _ bool) bool { return k.reader == o.author })
		maps.DeleteFunc(m.follows, func(f follow, _ bool) bool { return f.author == o.author || f.reader == o.author })
		for id, p := range m.posts {
			if p.author == o.author {
				m.apply(op{kind: deletes, post: id})
			} else if slices.Contains(p.to, o.author) {
				p.to = slices.DeleteFunc(slices.Clone(p.to), func(reader string) bool { return reader == o.author })
				m.posts[id] = p
			}
		}
	}
}
