package processes

import (
	"context"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/emulator/ttl"
	"example.com/relationindex/internal/indexfile"
	"example.com/relationindex/internal/logging"
)

// defaultExpiry is how long after their time documents go; in production that is within a day.
const defaultExpiry = time.Minute

// expiry deletes documents as TTL policies do, where there is no weather that does.
type expiry struct {
	end   context.CancelFunc
	ended chan struct{}
}

// startExpiry deletes documents every so often, those that expired that long ago or longer.
func (s *System) startExpiry(ctx context.Context, every time.Duration) error {
	file, err := indexfile.Parse(relationindex.FirestoreIndexes)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	s.expiry = &expiry{end, make(chan struct{})}
	go func() {
		defer close(s.expiry.ended)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				s.expire(ctx, file, time.Now().Add(-every))
			}
		}
	}()
	return nil
}

// expire logs what fails: the next round tries again.
func (s *System) expire(ctx context.Context, file *indexfile.File, before time.Time) {
	ids := []string{s.cfg.Project}
	if s.projects != nil {
		ids = append(ids, s.projects.ids()...)
	}
	for _, id := range ids {
		if _, err := ttl.Delete(ctx, s.cfg.EmulatorHost, id, s.cfg.DatabaseID(), file, before); err != nil && ctx.Err() == nil {
			s.logger().WarnContext(ctx, "could not delete expired documents; the next round tries again", logging.Error, err)
		}
	}
}

func (e *expiry) close() {
	e.end()
	<-e.ended
}
