package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/internal/cli/console"
	"example.com/relationindex/internal/devhost"
	"example.com/relationindex/internal/runtime/config"
)

func newDev() *cobra.Command {
	var o devhost.Options
	var capacity int
	var rates string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run emulators, triggers, functions and the web app until Ctrl-C",
		Long: `dev runs the Firestore emulator, with the project's rules, and the functions, and
delivers the emulator's events to them as production does. It serves an app to sign
in to, follow and post with, and a console that shows what becomes of it: index
documents, relations, timelines, jobs, and what each action costs. When all is ready
it prints how to reach it, and runs until Ctrl-C or SIGTERM. Then it leaves no
process behind, and only its logs. The data is in memory, and is lost. It is for
made-up data: every program of this machine can read and change it, and so can every
page that a browser has open, for the emulators answer all of them.

To sign in takes the Auth emulator, which is part of firebase-tools and comes with
'cd web && npm ci'. Without it everything else runs.

With --json it prints one line: {"project","database","firestoreHost","functionsURL",
"webURL","authHost","feedURL"}, without authHost if there is no Auth emulator. The app is at
webURL, the console at {webURL}/console/. GET {functionsURL}/idle?timeout=60s answers
200 when everything that was written has had its consequences, and 504 when the time
is over first.

RELATIONINDEX_ variables configure the functions; --capacity is one of them.

--workers serves the functions by several processes that share the events, as
production's instances do. --chaos makes deliveries as bad as production's can be:

  duplicate  share of events that are delivered twice, 0 to 1
  reorder    share of events that are held back, so that later ones overtake them
  delay      longest wait of a second and of a held back delivery (200ms)
  drop       share of deliveries that get lost at first, and are delivered again
  seed       chooses which: the same writes meet the same fate again`,
		Example: `  relationindex dev
  relationindex dev --capacity 4                # small index documents, to see them roll over
  relationindex dev --workers 3 --chaos duplicate=0.3,reorder=0.3,delay=200ms,drop=0.1,seed=7
  relationindex dev --web-port 8000 --firestore-port 8080 --functions-port 8081 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.LoadCLI()
			if err != nil {
				return err
			}
			if !strings.HasPrefix(o.Project, command.DemoPrefix) {
				return command.Usagef("--project %q: must begin with %s", o.Project, command.DemoPrefix)
			}
			if cmd.Flags().Changed("capacity") {
				if capacity < 1 {
					return command.Usagef("--capacity %d: must be 1 to 10000", capacity)
				}
				cfg.Capacity = capacity
			}
			if o.Workers < 1 {
				return command.Usagef("--workers %d: must be 1 to 16", o.Workers)
			}
			if o.Chaos, err = chaos.Parse(rates); err != nil {
				return command.Usagef("--chaos: %w", err)
			}
			o.Functions, o.Auth, o.Web = cfg, true, true
			return runDev(cmd.Context(), o, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Project, "project", command.DemoProject, "project id; begins with "+command.DemoPrefix)
	cmd.Flags().IntVar(&o.FirestorePort, "firestore-port", 0, "port of the emulator; 0 takes a free one")
	cmd.Flags().IntVar(&o.FunctionsPort, "functions-port", 0, "port of the broker, which answers /idle; 0 takes a free one")
	cmd.Flags().IntVar(&o.WebPort, "web-port", 0, "port of the app and the console; 0 takes a free one")
	cmd.Flags().IntVar(&capacity, "capacity", 0, "most followers in an index document, 1 to 10000 (default 10000)")
	cmd.Flags().IntVar(&o.Workers, "workers", 1, "processes that serve the functions, 1 to 16")
	cmd.Flags().StringVar(&rates, "chaos", "", "what goes wrong with deliveries, as `key=value,…`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON when ready")
	return cmd
}

func runDev(ctx context.Context, o devhost.Options, asJSON bool, out io.Writer) error {
	system, err := startSystem(ctx, o)
	if err != nil {
		return err
	}
	if err := announce(out, system, o, asJSON); err != nil {
		return errors.Join(fmt.Errorf("print that it is ready: %w", err), system.Close())
	}
	select {
	case <-ctx.Done(): // as it is meant to end
	case <-system.Done():
	}
	return errors.Join(system.Err(), system.Close())
}

// startSystem starts a system, with a sign of life on a terminal.
func startSystem(ctx context.Context, o devhost.Options) (*devhost.System, error) {
	if err := o.Validate(); err != nil {
		return nil, command.Usage(err)
	}
	starting := console.Start("starting the emulators and the functions", 0)
	defer starting.End()
	return devhost.Start(ctx, o)
}

// announce says how to reach the system, and what is not as usual about it.
func announce(out io.Writer, system *devhost.System, o devhost.Options, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(struct {
			Project       string `json:"project"`
			Database      string `json:"database"`
			FirestoreHost string `json:"firestoreHost"`
			FunctionsURL  string `json:"functionsURL"`
			WebURL        string `json:"webURL"`
			AuthHost      string `json:"authHost,omitempty"`
			FeedURL       string `json:"feedURL"`
		}{system.Config().Project, system.Config().DatabaseID(), system.FirestoreHost(), system.URL(), system.WebURL(), system.AuthHost(), system.FeedURL()})
	}
	var text strings.Builder
	text.WriteString("The relation index is running.\n\n")
	fmt.Fprintf(&text, "app      %s\nconsole  %s/console/\n", system.WebURL(), system.WebURL())
	if err := system.NoAuth(); err != nil {
		fmt.Fprintf(&text, "\nNobody can sign in: %v\n", err)
	}
	text.WriteString("\nIn another terminal:\n\n")
	for _, v := range system.Config().Variables() {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&text, "export %s=%s\n", name, command.Quoted(value))
	}
	fmt.Fprintf(&text, "\nidle  %s/idle?timeout=60s answers when everything written has had its consequences\n", system.URL())
	fmt.Fprintf(&text, "logs  %s\n", system.Dir())
	if system.Workers() > 1 {
		fmt.Fprintf(&text, "\nThe functions are served by %d processes.\n", system.Workers())
	}
	if spec := o.Chaos.String(); spec != "" {
		fmt.Fprintf(&text, "\nDeliveries go wrong on purpose: --chaos %s\n", spec)
	}
	text.WriteString("\nIt is for made-up data: whatever runs on this machine, open pages included, can read and change all of it.\n\nCtrl-C ends it.\n")
	_, err := io.WriteString(out, text.String())
	return err
}
