package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema"
)

func newBrake(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Plain: true} // the brake must work with any configuration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "brake [on|off]",
		Short: "Stop functions from bringing posts to new readers",
		Long: `brake on stops functions from bringing posts to new readers: they write no new relations,
no new timeline entries, no backfill, and nothing by deliveries of the app. This work
waits in jobs. Functions still do removals: unfollows, deletions, blocks, and edits that
hide. Functions also still copy edited fields, and new followers get the existing relations.

brake off lets the waiting jobs go on: nothing is lost. Functions notice the change within
` + schema.BrakeTTL.String() + `, and Sweep queues the waiting jobs, up to 5,000 a minute.

Without on or off, brake prints whether the brake is on, and how many jobs wait. Commands
that bring posts, such as repair, stop while the brake is on: --despite-brake lets them run.` + command.TargetHelp,
		Example: `  relationindex brake
  relationindex brake on --project my-project --live
  relationindex brake --json    # one object: on, since, waiting`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set := func(context.Context, *firestore.DocumentRef) error { return nil }
			if t.Reads = len(args) == 0; !t.Reads {
				switch args[0] {
				case "on":
					set = brakeOn
				case "off":
					set = brakeOff
				default:
					return command.Usagef("brake %q: must be on or off", args[0])
				}
			}
			return t.With(cmd.Context(), func(db *command.Database) error {
				if err := set(cmd.Context(), schema.BrakeDocument(db.Client)); err != nil {
					return err
				}
				return showBrake(cmd.Context(), db.Client, asJSON, cmd.OutOrStdout())
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, `print one object {"on","since","waiting"}; waiting has the number of jobs by kind`)
	return cmd
}

// brakeOn turns the brake on. If the brake is on already, its document and its time stay.
func brakeOn(ctx context.Context, brake *firestore.DocumentRef) error {
	_, err := brake.Create(ctx, map[string]any{"since": firestore.ServerTimestamp})
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}

func brakeOff(ctx context.Context, brake *firestore.DocumentRef) error {
	_, err := brake.Delete(ctx)
	return err
}

// braked is the state of the brake, with the number of jobs that wait.
type braked struct {
	On      bool             `json:"on"`
	Since   *time.Time       `json:"since"`   // null: the brake is off
	Waiting map[string]int64 `json:"waiting"` // jobs by kind
}

// showBrake prints the state of the brake. It costs a read, and at least one more for each kind of job.
func showBrake(ctx context.Context, client *firestore.Client, asJSON bool, out io.Writer) error {
	docs, err := client.GetAll(ctx, []*firestore.DocumentRef{schema.BrakeDocument(client)})
	if err != nil {
		return err
	}
	b := braked{On: docs[0].Exists(), Waiting: map[string]int64{}}
	if b.On {
		b.Since = &docs[0].CreateTime
	}
	waiting := chunker.New(client, chunker.Options{}).Waiting()
	for _, kind := range schema.Kinds {
		n, err := bulk.Count(ctx, waiting.Where("kind", "==", kind))
		if err != nil {
			return fmt.Errorf("count the jobs that wait: %w", err)
		}
		if n > 0 {
			b.Waiting[kind] = n
		}
	}
	if asJSON {
		return json.NewEncoder(out).Encode(b)
	}
	fmt.Fprintln(out, b)
	return nil
}

func (b braked) String() string {
	text := "the brake is off"
	if b.On {
		text = "the brake is on since " + console.Moment(b.Since, time.Now())
	}
	if len(b.Waiting) == 0 {
		return text + "\nno job waits for it"
	}
	for _, kind := range slices.Sorted(maps.Keys(b.Waiting)) {
		text += fmt.Sprintf("\nof %s, %s", kind, waits(b.Waiting[kind]))
	}
	if !b.On {
		text += "\nSweep starts up to 5,000 a minute"
	}
	return text
}

func waits(jobs int64) string {
	if jobs == 1 {
		return "1 job waits"
	}
	return console.Grouped(jobs) + " jobs wait"
}
