package jobdocs

import (
	"errors"
	"fmt"
	"reflect"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
)

// Decode reads a job document. It returns ErrNewer for a job of a newer release. It returns ErrNotJob, with
// the wrong field, for a document that no release can have written. With both errors, the Job holds at least
// the fields that every release reads.
func (s *Store) Decode(snap *firestore.DocumentSnapshot) (Job, error) {
	seen := decodeHeader(snap)
	if seen.Schema > s.schema {
		return seen, fmt.Errorf("%w: it has schema %d; this release supports up to %d", ErrNewer, seen.Schema, s.schema)
	}
	var job Job
	if err := snap.DataTo(&job); err != nil {
		return seen, fmt.Errorf("%w: %s: %w", ErrNotJob, seen.Path, err)
	}
	job.ID, job.Path = snap.Ref.ID, snap.Ref.Path
	if !job.State.known() {
		return job, fmt.Errorf("%w: %s: state %q is not queued, running, done, failed or canceled", ErrNotJob, job.Path, job.State)
	}
	if job.Phase < 0 {
		return job, fmt.Errorf("%w: %s: phase is %d", ErrNotJob, job.Path, job.Phase)
	}
	return job, nil
}

// decodeHeader returns the fields of a job document that every release reads.
func decodeHeader(snap *firestore.DocumentSnapshot) Job {
	// Field by field, because the library may fail to decode the others.
	at := func(field string) any { v, _ := snap.DataAt(field); return v }
	text := func(field string) string { s, _ := at(field).(string); return s }
	number := func(field string) int64 { n, _ := at(field).(int64); return n }
	return Job{
		ID: snap.Ref.ID, Path: snap.Ref.Path, Kind: text("kind"), State: State(text("state")), Schema: int(number("schema")),
		Generation: text("generation"), Hop: number("hop"), CreatedAt: snap.CreateTime, UpdatedAt: snap.UpdateTime,
	}
}

// Show decodes any job document, whatever it holds, as Get does.
func (s *Store) Show(snap *firestore.DocumentSnapshot) Job {
	job, err := s.Decode(snap)
	if errors.Is(err, ErrNotJob) {
		job = decodeHeader(snap)
		job.State, job.Error = Failed, NewFailure(err, snap.UpdateTime)
		job.Error.Code = codes.InvalidArgument.String()
	}
	return job
}

// Updates returns an update of every field of the job. Other fields of the document
// stay.
func Updates(j Job) []firestore.Update {
	v := reflect.ValueOf(j)
	var out []firestore.Update
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name := f.Tag.Get("firestore"); name != "-" {
			out = append(out, firestore.Update{Path: name, Value: v.FieldByIndex(f.Index).Interface()})
		}
	}
	return out
}
