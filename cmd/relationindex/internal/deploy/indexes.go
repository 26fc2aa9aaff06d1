package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
	"example.com/relationindex/internal/config"
)

// indexesCheck returns the check that the app's indexes and ours are compatible.
//
// firebase-tools creates missing composite indexes, and deletes none without --force. But
// firebase-tools replaces the app's override of a field by ours without a question. It also
// treats two overrides as equal if they differ only in scope.
func (o Options) indexesCheck() Check {
	ask := firebase("firestore:indexes", o.project(), o.database())
	return Check{
		Name: "indexes", Want: "every field override of the database has the indexes of ours; an override with more indexes stays, and is left out of " + fileIndexes,
		Ask: ask, Fix: "firebase login", Needs: []string{needFirebase, needAPIs, needConfig},
		holds: func(_ context.Context, m *Machine, answer string) error {
			theirs, err := coexist.ParseIndexes([]byte(answer))
			if err != nil {
				return problem{err, "run this command, and check what it prints: " + ask.String()}
			}
			return o.mergeIndexes(m, theirs)
		},
	}
}

// mergeIndexes returns an error if the app's override of a field lacks a part of our override. If the app's override
// serves both, mergeIndexes omits our override from the deployed file, and reports this.
func (o Options) mergeIndexes(m *Machine, theirs *coexist.Indexes) error {
	ours, err := coexist.ParseIndexes(o.Indexes)
	if err != nil {
		return err
	}
	differ := coexist.Compare(theirs, ours).Differ
	var errs []error
	var fixes []string
	for _, d := range differ {
		switch {
		case d.OnlyOurs: // an override of another release, which is replaced
		case d.Serves():
			m.Said("the field override of the app stays: " + d.String())
		default:
			errs = append(errs, errors.New(d.String()))
			fixes = append(fixes, o.serveBoth(d)...)
		}
	}
	if len(errs) > 0 {
		return problem{errors.Join(errs...), strings.Join(fixes, "\n         ")}
	}
	merged, err := coexist.Merge(theirs, ours)
	if err != nil {
		return err
	}
	both, err := coexist.ParseIndexes(merged)
	if err != nil {
		return err
	}
	if err := config.CheckIndexFile(o.Config, &both.File); err != nil {
		return problem{fmt.Errorf("after merging with the indexes of the database: %w", err), "change the indexes of the database to include this index or exemption: see docs/operations/existing-app.md"}
	}
	file, err := coexist.Without(ours, differ)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.Work, fileIndexes), file, 0o600)
}

// serveBoth returns instructions that give a field the indexes for the app's queries and ours. gcloud
// cannot give a field an index of the collection group, but firebase-tools can. The instructions
// change the app's file, because the next deployment of the app's file undoes changes made elsewhere.
func (o Options) serveBoth(d coexist.Difference) []string {
	ttl := func(field, change string) string {
		return gcloud("firestore", "fields", "ttls", "update", field, o.project(), o.database(), "--collection-group="+d.Ours.Group, change).String()
	}
	if d.OtherTTL != "" {
		return []string{"if you do not need the other policy, end it, in your " + fileIndexes + " too: " + ttl(d.OtherTTL, "--disable-ttl")}
	}
	var out []string
	if len(d.Lacks) > 0 {
		out = append(out, "in your "+fileIndexes+", give "+d.Field()+" what serves both, run firebase deploy --only firestore:indexes, and then this again: "+d.Both().JSON()+
			" (relationindex deploy-check --app DIR --write-merged FILE writes the whole file)")
	}
	if d.LacksTTL {
		out = append(out, ttl(d.Ours.Path, "--enable-ttl")+
			"  # deletes every document of a collection "+d.Ours.Group+" once its "+d.Ours.Path+" has passed, your own too")
	}
	return out
}
