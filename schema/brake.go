package schema

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// BrakeDocument returns _settings/paused. While it exists, the brake is on: functions bring nothing to more
// readers. This work waits in jobs, which continue after the document is deleted. Removals do not wait. The
// command relationindex brake writes the document; functions ignore its fields.
func BrakeDocument(client *firestore.Client) *firestore.DocumentRef {
	return client.Collection(names.SystemSettings).Doc("paused")
}

// BrakeTTL is how long a process relies on its last read of the brake. Nothing is lost meanwhile. If the brake
// was just turned on, the process brings posts that belong there. If it was just turned off, the process lets
// a job wait, and the next Sweep finds the job.
const BrakeTTL = 10 * time.Second

// LookAtBrake updates whether the process has the brake on, as it was at most [BrakeTTL] ago. Each look costs
// a read, which concurrent calls share. If the read fails, the process relies on its earlier value; without
// one, LookAtBrake returns the error. Only functions look: commands ignore the brake.
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
