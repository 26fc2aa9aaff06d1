package processes

import (
	"context"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/emulator/ttl"
	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/internal/logging"
)

// defaultExpiry is the time from a document's expiry to its deletion; in production that is within a day.
const defaultExpiry = time.Minute

// startExpiry deletes documents as TTL policies do, unless there is weather, which does so itself. Options.Expiry is the pause
// between two rounds. Each round deletes the documents that expired at least that long ago.
func (s *System) startExpiry(ctx context.Context) error {
	if s.weather != nil {
		return nil
	}
	file, err := indexfile.Parse(relationindex.FirestoreIndexes)
	if err != nil {
		return err
	}
	every := s.options.Expiry
	s.expiry = repeat(ctx, every, func(ctx context.Context) { s.expire(ctx, file, time.Now().Add(-every)) })
	return nil
}

// expire logs errors. The next round retries.
func (s *System) expire(ctx context.Context, file *indexfile.File, before time.Time) {
	for _, id := range append(s.projects.ids(), s.cfg.Project) {
		if _, err := ttl.Delete(ctx, s.cfg.EmulatorHost, id, s.cfg.DatabaseID(), file, before); err != nil && ctx.Err() == nil {
			s.logger().WarnContext(ctx, "could not delete expired documents; the next round tries again", logging.Error, err)
		}
	}
}
