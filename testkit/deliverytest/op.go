package deliverytest

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/testkit/stories"
)

// kind is what a client does.
type kind string

const (
	follows   kind = "follows"   // reader follows author
	unfollows kind = "unfollows" // and no longer
	posts     kind = "posts"     // the content's author writes post, for the first time or again
	deletes   kind = "deletes"   // post goes
	leaves    kind = "leaves"    // author deletes their account, or a group is deleted
	decides   kind = "decides"   // reader writes what they decide
	hides     kind = "hides"     // reader hides post
	shows     kind = "shows"     // and no longer
	comments  kind = "comments"  // author comments on post
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
	}
	if err != nil {
		return fmt.Errorf("%v: %w", o, err)
	}
	return nil
}

// followedAt is the time of a follow, which a server writes: later than those before it, and before all
// posts, which so have to come.
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

// apart is the time between two posts: they are on several days.
const apart = 9 * time.Hour

// comment is the id of the comment: a comment is never written again.
func (o op) comment() string { return o.author + "-comments" }

// event returns the event of the write. before is what the reader had decided.
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
	default:
		return postEvent(o.post)
	}
}

// event is what a handler gets, ids alone, and what it calls.
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
