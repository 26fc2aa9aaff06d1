package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// table has names that the rules accept, and names that they reject. It is read in the project's folder.
const table = "schema/testdata/names.json"

// people tests that production decides about names as the emulator does, whose regular expressions are of another program: the
// account of the ID token takes each name of the table in turn. It must have no profile, and none for an hour. Its profile is
// deleted afterwards, and so purged.
func people(ctx context.Context, l *live, uid string) (answers []answer, err error) {
	text, err := os.ReadFile(l.root + table)
	if err != nil {
		return nil, fmt.Errorf("run it in the project's folder: %w", err)
	}
	var cases struct{ Right, Wrong map[string]string }
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, err
	}
	user := l.client.Collection(l.cfg.Collections().Users).Doc(uid)
	for _, doc := range []*firestore.DocumentRef{user, l.client.Collection(names.Purging).Doc(uid)} {
		if docs, err := l.client.GetAll(ctx, []*firestore.DocumentRef{doc}); err != nil || docs[0].Exists() {
			return []answer{{seen: fmt.Sprintf("not asked: %s exists; take another account", doc.Path)}}, err
		}
	}
	defer func() { err = errors.Join(err, deleted(ctx, user)) }()
	for allowed, of := range map[int][]string{
		http.StatusOK:        slices.Sorted(maps.Keys(cases.Right)),
		http.StatusForbidden: slices.Sorted(maps.Values(cases.Wrong)),
	} {
		for _, name := range of {
			code, text, err := l.rest(ctx, http.MethodPatch, user.Path, map[string]any{"fields": map[string]any{"name": map[string]any{"stringValue": name}}})
			switch {
			case err != nil:
				return answers, err
			case code != allowed:
				seen := fmt.Sprintf("the name %+q is answered %d, want %d: %.200s", name, code, allowed, text)
				answers = append(answers, answer{seen: seen, wrong: fmt.Sprintf("the rules decide about the name %+q otherwise than on the emulator: change isLine, isVisible or isName", name)})
			}
		}
	}
	seen := fmt.Sprintf("of %d names, %d are decided as on the emulator", len(cases.Right)+len(cases.Wrong), len(cases.Right)+len(cases.Wrong)-len(answers))
	return append(answers, answer{seen: seen}), nil
}

// readTime tests whether a client that reads as of an earlier time has the rights of then: a follower of a closed account is
// removed, and reads a post of before.
func readTime(ctx context.Context, l *live, uid string) (answers []answer, err error) {
	author := l.client.Collection(l.cfg.Collections().Users).Doc(l.author)
	follow := author.Collection(l.cfg.Collections().Followers).Doc(uid)
	post := l.client.Collection(l.cfg.Collections().Posts).Doc(l.author + "-read")
	defer func() { err = errors.Join(err, deleted(ctx, follow, post, author)) }()
	var then time.Time
	for _, write := range []struct {
		doc  *firestore.DocumentRef
		data map[string]any
	}{
		{author, map[string]any{"name": "Probe", "closed": true}},
		{post, map[string]any{"userId": l.author, "audience": l.author, "hidden": false, "createdAt": firestore.ServerTimestamp}},
		{follow, map[string]any{"createdAt": firestore.ServerTimestamp}},
	} {
		result, err := write.doc.Set(ctx, write.data)
		if err != nil {
			return nil, err
		}
		then = result.UpdateTime
	}
	follows, text, err := l.rest(ctx, http.MethodGet, post.Path, nil)
	if err != nil || follows != http.StatusOK {
		return nil, errors.Join(err, fmt.Errorf("a follower's read is answered %d: %.200s", follows, text))
	}
	if err := deleted(ctx, follow); err != nil {
		return nil, err
	}
	now, _, err := l.rest(ctx, http.MethodGet, post.Path, nil)
	if err != nil {
		return nil, err
	}
	before, _, err := l.rest(ctx, http.MethodPost, l.database()+"/documents:batchGet", map[string]any{"documents": []string{post.Path}, "readTime": then})
	a := answer{seen: fmt.Sprintf("a removed follower's read is answered %d, and %d as of when they followed", now, before)}
	if now != http.StatusForbidden {
		a.wrong = "who is removed from a closed account reads its posts"
	}
	return []answer{a}, err
}

// deleted deletes documents, also those that are gone, and after an interruption.
func deleted(ctx context.Context, docs ...*firestore.DocumentRef) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for _, doc := range docs {
		_, err := doc.Delete(ctx)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
