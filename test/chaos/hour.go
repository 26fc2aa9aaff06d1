package chaos

import (
	"context"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// hourEvery is the pause between two looks for jobs that wait for an account's hour.
const hourEvery = 5 * time.Second

// hours lets an account's hour pass within seconds, until stop is called: work that waits for an hour begins, as with
// `relationindex jobs retry`. stop returns its error.
func (r *run) hours(ctx context.Context) (stop func() error) {
	if r.Hour == 0 {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		for {
			_, err := r.passHour(ctx)
			if stopped := sleep(ctx, hourEvery); stopped != nil {
				ended <- nil
				return
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// passHour begins the work that waits for an hour, and returns the number of its jobs.
func (r *run) passHour(ctx context.Context) (begun int, err error) {
	engine := chunker.New(r.system.Client(), chunker.Options{})
	docs, err := engine.Documents().Where("kind", "==", schema.KindLater).Where("state", "==", string(chunker.Queued)).Documents(ctx).GetAll()
	if err != nil {
		return 0, err
	}
	for _, doc := range docs {
		if at, err := doc.DataAt("at"); err != nil || at == nil || at.(time.Time).Before(time.Now()) {
			continue
		}
		if _, err := engine.Retry(ctx, doc.Ref.ID); err == nil { // otherwise another event has begun it
			begun++
		}
	}
	r.late.Add(int64(begun))
	return begun, nil
}

// restOfHour waits until the system is idle, and no work waits for an hour.
func (r *run) restOfHour(ctx context.Context) error {
	for {
		if err := r.system.Idle(ctx); err != nil || r.Hour == 0 {
			return err
		}
		if begun, err := r.passHour(ctx); err != nil || begun == 0 {
			return err
		}
	}
}
