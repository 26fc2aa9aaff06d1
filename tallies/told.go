package tallies

import (
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

const (
	keptEmptied = 24 * time.Hour     // of a notification while nobody acts
	latest      = 7 * 24 * time.Hour // the age of acts that come late; older ones are imported
	mostMarks   = 1000               // bytes
)

// note returns the fields of a notification of these acts, with the actors to tell of, the newest first; none: nobody acts.
//
// A badge compares at. Acts come late, so at is when a count first found an actor of whom the notification has not told on
// that day (in UTC), by Firestore's clock. Only a higher count, or a newer act, can tell. So at never falls, and a count that
// finds the same acts changes nothing. In a repair, or if the acts were imported, at is the time of the newest.
//
// Somebody may take an act back, and act again. So a notification without acts stays for a day, without at: no
// query of clients finds it. Then told has its at, beside the marks of the day's actors: see [schema.MarkOf].
func (x *Tallies) note(s Subject, now state, object string, count int64, told []actor, repair bool) content {
	memory, _ := now.says[fieldTold].(map[string]any)
	at, shown := now.says[fieldAt].(time.Time)
	if !shown {
		at, _ = memory[fieldAt].(time.Time)
	}
	marks, _ := memory["marks"].(string)
	if DayOf(now.updated) != DayOf(x.now()) {
		marks = ""
	}
	if !shown && len(told) > 0 && !s.anew && told[0].at.Add(Kept).Before(x.now()) {
		told = nil
	}
	was, _ := now.says[schema.FieldCount].(int64)
	actors, grows := []any{}, at.IsZero()
	for _, a := range told {
		actors = append(actors, a.id)
		if mark := schema.MarkOf(a.id) + " "; !strings.Contains(marks, mark) {
			marks, grows = marks+mark, grows || count > was || a.at.After(at)
		}
	}
	due := content{fieldVerb: s.Verb, fieldObject: object, schema.FieldCount: count, fieldActors: actors}
	same := schema.SameValue(now.says[fieldActors], actors)
	switch {
	case shown && same && count == was && now.says[fieldObject] == object && now.says[schema.FieldExpireAt] != nil, !shown && len(told) == 0 && now.says[fieldAt] == nil:
		return now.says
	case len(told) == 0:
		due[fieldObject], due[schema.FieldCount], due[schema.FieldExpireAt] = now.says[fieldObject], int64(0), x.now().Add(keptEmptied)
		due[fieldTold] = map[string]any{fieldAt: at, "marks": marks}
		return due
	case same && len(told) == mostActors && s.Verb != Comment:
		grows = grows || count > was // by a late act
	}
	due[fieldTold] = map[string]any{"marks": marks[max(0, len(marks)-mostMarks):]}
	newest := told[0].at
	if newest.After(x.now()) {
		newest = x.now()
	}
	if grows && newest.After(at) {
		at = newest
	}
	due[fieldAt] = at
	if grows && !repair && (s.anew || x.now().Sub(newest) < latest) {
		at, due[fieldAt] = x.now(), firestore.ServerTimestamp
	}
	due[schema.FieldExpireAt] = schema.Storable(at.Add(Kept))
	return due
}
