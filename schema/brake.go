package schema

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// BrakeDocument returns _settings/paused. While it exists, the brake is on: functions bring nothing to
// more readers. That waits in jobs, which go on when the document is gone. What takes something away
// does not wait. The command relationindex brake writes it; its fields mean nothing to functions.
func BrakeDocument(client *firestore.Client) *firestore.DocumentRef {
	return client.Collection(names.SystemSettings).Doc("paused")
}

// BrakeTTL is how long a process goes on with what it knows of the brake. Nothing is lost meanwhile: a
// process that does not know that the brake is on brings what belongs there, and one that does not
// know that it is off lets a job wait, which the next Sweep finds.
const BrakeTTL = 10 * time.Second

// LookAtBrake has the process know whether the brake is on, as it was at most [BrakeTTL] ago. It costs a
// read each time that it looks, which concurrent calls share. If the read fails, the process goes on with
// what it knew; if it knew nothing, LookAtBrake returns the error. Only functions look: commands bring
// what they are asked to bring.
func (d *Database) LookAtBrake(ctx context.Context) error {
	_, err := d.brake.get(ctx, BrakeTTL, func(ctx context.Context) (bool, error) {
		docs, err := d.Client.GetAll(ctx, []*firestore.DocumentRef{BrakeDocument(d.Client)})
		if err == nil {
			return docs[0].Exists(), nil
		}
		if last := d.brake.last.Load(); last != nil {
			return last.value, nil
		}
		return false, err
	})
	return err
}

// Braked reports whether the last look has found the brake on. Without a look it is off.
func (d *Database) Braked() bool {
	last := d.brake.last.Load()
	return last != nil && last.value
}

// Unbraked reports whether the last look has found the brake off: jobs that wait may run.
func (d *Database) Unbraked() bool {
	last := d.brake.last.Load()
	return last != nil && !last.value
}
