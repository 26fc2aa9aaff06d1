package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema/names"
)

// events measures how long the effects of a write take. It also tests events larger than the
// documented 512 KB: an update whose before and after together are larger, and a creation that is
// larger by itself. The functions must be deployed.
func events(ctx context.Context, l *live) (answers []answer, err error) {
	c := l.cfg.Collections()
	user := l.client.Collection(c.Users).Doc(l.author)
	follow := user.Collection(c.Followers).Doc("live-probe-follower")
	var posts []*firestore.DocumentRef
	defer func() {
		// The handlers of these events delete the derived documents. The user document, which functions write,
		// is deleted here.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.patience)
		defer cancel()
		err = errors.Join(err, l.remove(ctx, append(posts, follow)))
		_, gone := l.wait(ctx, func() (bool, error) { n, err := l.relationsOf(ctx, ""); return n == 0, err })
		err = errors.Join(err, gone, l.remove(ctx, []*firestore.DocumentRef{user.Collection(names.FollowersIndex).Doc("00001"), user}))
	}()
	if _, err := follow.Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp}); err != nil {
		return nil, err
	}
	edge := l.client.Collection(c.Users).Doc("live-probe-follower").Collection(names.Following).Doc(l.author)
	if _, err := l.wait(ctx, func() (bool, error) { return there(edge.Get(ctx)) }); err != nil {
		return []answer{{seen: fmt.Sprintf("a follow had no consequences within %v", l.patience), wrong: "no event of a follow arrives: is it deployed, and is the trigger's location the database's?"}}, nil
	}
	post := func(name string, size int) *firestore.DocumentRef {
		d := l.client.Collection(c.Posts).Doc(l.author + "-" + name)
		posts = append(posts, d)
		_, err = d.Set(ctx, map[string]any{"userId": l.author, "createdAt": time.Now(), "text": strings.Repeat("x", size)})
		return d
	}
	var took []time.Duration
	for i := range 20 {
		d := post(fmt.Sprint("small-", i), 10)
		if err != nil {
			return answers, err
		}
		t, err := l.wait(ctx, func() (bool, error) { n, err := l.relationsOf(ctx, d.ID); return n == 1, err })
		if err != nil {
			return append(answers, answer{seen: fmt.Sprintf("post %d of 20 had no relation within %v", i+1, l.patience), wrong: "an event was lost, or is very late"}), nil
		}
		took = append(took, t)
	}
	slices.Sort(took)
	answers = append(answers, answer{seen: fmt.Sprintf("a post has its relation after %v (median of 20; slowest %v)", took[len(took)/2], took[len(took)-1])})

	d := post("update", 300_000)
	if err != nil {
		return answers, err
	}
	if _, err := l.wait(ctx, func() (bool, error) { n, err := l.relationsOf(ctx, d.ID); return n == 1, err }); err != nil {
		return append(answers, answer{seen: "the creation of a post of 300 KB made no relation", wrong: "events below 512 KB are lost"}), nil
	}
	edited := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	if _, err := d.Update(ctx, []firestore.Update{{Path: "createdAt", Value: edited}}); err != nil {
		return append(answers, answer{seen: fmt.Sprintf("an edit of a post of 300 KB, whose event has 600 KB, is refused: %v", err)}), nil
	}
	large := func(what string, done func() (bool, error)) {
		t, err := l.within(ctx, l.losing, done)
		seen := fmt.Sprintf("%s: its event arrives, after %v", what, t)
		if err != nil {
			seen = fmt.Sprintf("%s: no event within %v. Bound posts in firestore.rules; repair makes the relation right", what, l.losing)
		}
		answers = append(answers, answer{seen: seen})
	}
	large("an edit of a post of 300 KB (600 KB before and after)", func() (bool, error) {
		docs, err := l.ofPost(ctx, d.ID)
		return len(docs) == 1 && docs[0].Data()["createdAt"].(time.Time).Equal(edited), err
	})
	d = post("create", 600_000)
	if err != nil {
		return answers, err
	}
	large("the creation of a post of 600 KB", func() (bool, error) { n, err := l.relationsOf(ctx, d.ID); return n == 1, err })
	return answers, nil
}

// ofPost returns the relations of one of the probe's posts, or of all posts for "".
func (l *live) ofPost(ctx context.Context, post string) ([]*firestore.DocumentSnapshot, error) {
	// By author: the other fields have no index of their own.
	docs, err := l.client.Collection(names.Relations).Where("userId", "==", l.author).Documents(ctx).GetAll()
	if err != nil || post == "" {
		return docs, err
	}
	return slices.DeleteFunc(docs, func(d *firestore.DocumentSnapshot) bool { return d.Data()["postId"] != post }), nil
}

func (l *live) relationsOf(ctx context.Context, post string) (int, error) {
	docs, err := l.ofPost(ctx, post)
	return len(docs), err
}

func there(_ *firestore.DocumentSnapshot, err error) (bool, error) {
	if status.Code(err) == codes.NotFound {
		return false, nil
	}
	return err == nil, err
}

// errLost means that something did not happen in time.
var errLost = errors.New("the expected event did not happen in time")

// wait calls done every 20 ms until it returns true, and returns the time that took. After the
// patience, it returns errLost.
func (l *live) wait(ctx context.Context, done func() (bool, error)) (time.Duration, error) {
	return l.within(ctx, l.patience, done)
}

func (l *live) within(ctx context.Context, patience time.Duration, done func() (bool, error)) (time.Duration, error) {
	began := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return time.Since(began).Round(time.Millisecond), err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-tick.C:
			if time.Since(began) > patience {
				return 0, errLost
			}
		}
	}
}
