package dev

import "github.com/spf13/cobra"

func newDev() *cobra.Command {
	var d dev
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run emulators, triggers, functions and the web app until Ctrl-C",
		Long: `dev runs the Firestore emulator with the project's rules, runs the functions, and delivers
the emulator's events to them as production does. It serves an app, in which you sign in,
follow and post, and a console that shows index documents, relations, timelines, jobs, and
what each action costs. When everything is ready, dev prints the addresses, and runs until
Ctrl-C or SIGTERM. Then it ends all its processes, and leaves only its logs. The data is in
memory: use --export-on-exit to save it. A crash loses the data in any case. Use made-up
data only: every program of this machine, and every page that this machine serves, can read
and change it.

dev listens on 127.0.0.1. Its ports answer programs, and pages of localhost, *.localhost,
127.0.0.0/8 and ::1 with any port. Pages of other sites, and requests for other host names,
get 403. An Android emulator reaches the ports at 10.0.2.2. --allow-host NAME allows one more
name, such as host.docker.internal for a container, or the name of a page that you develop
elsewhere. The free ports that dev uses internally have no such check.

By default, dev takes the ports of Firebase's tools: 8080 for Firestore, 9099 for Auth, 4000
for the app and the console, 5001 for the broker. If one is taken, dev takes another port and
prints it. If you choose a port with a flag and the port is taken, dev fails.

Every project id that begins with demo- has triggers, so an app can keep its own project id.
The app and the console show the project of --project. The Auth emulator has the accounts of
that project only: Feed accepts their tokens for every project. Feed of another project is at
{webURL}/projects/{project}/Feed. {webURL}/config.json has everything that a client needs,
with ?project= for another project; pages at http://localhost and 127.0.0.1 may read it and
call Feed.

Sign-in needs the Auth emulator, which is part of firebase-tools: 'cd web && npm ci' installs
it. Without the Auth emulator, everything else runs.

With --json, dev prints one line: {"project","database","firestoreHost","functionsURL",
"webURL","authHost","feedURL"}. There is no authHost without the Auth emulator. Other
messages go to standard error. The app is at webURL, the console at {webURL}/console/.
GET {functionsURL}/idle?timeout=60s answers 200 when the functions have handled everything
that was written, and 504 if that takes longer than the timeout.

--export-on-exit FOLDER waits at the end until the functions are idle, for at most two
minutes. Then it writes all documents and accounts, as 'firebase emulators:export' does, and
replaces the previous folder when the new one is complete. --import FOLDER begins with such a
folder, also with one of firebase-tools. If both flags name the same folder, it may be
missing the first time. Events are not replayed; jobs continue. Projects other than --project
are in their own folders below projects/. Accounts of tenants are left out.

--seed FOLDER writes the follows and posts in the folder's files, and a profile for each
account in them. Then it waits until the functions are idle. It changes no existing document.

  follows*.csv  follower,followed
  posts*.csv    author,createdAt,text

The names may also end with .txt or .gz. A first line with these names changes the order of
the columns; for posts, it may also name id. Without such a line, the columns are in this
order, and text may be missing. Commas, or blanks and tabs, separate the values. createdAt
has the form 2026-01-02T03:04:05Z, or is seconds since 1970. A malformed line ends dev. The
first 100 accounts, followers first, can sign in with the password "password": dev prints
their addresses. examples/seed is such a folder.

RELATIONINDEX_ variables configure the functions; --capacity sets one of them.

--workers serves the functions by several processes that share the events, as production's
instances do. --chaos makes deliveries as bad as they can be in production:

  duplicate  share of events that are delivered twice, 0 to 1
  reorder    share of events that are held back, so that later events overtake them
  delay      the longest wait before a second delivery, or before a held back one (200ms)
  drop       share of deliveries that are lost at first, and delivered again
  lose       share of events that are lost for good, except events of user documents
  seed       repeats a run: the same writes get the same failures

--weather production simulates a bad time in production: slow calls, bursts of errors, about
one write a second to a busy document, slower writes to new collections, subscriptions that
pause, limited instances that start cold, indexes that build for 3 minutes, and late deletion
of expired documents. --weather production,scale=0.1 makes long waits ten times shorter. The
seed of --chaos also seeds the weather. Firestore calls by REST and from browsers are not
slowed. --seed and --export-on-exit wait until the functions are idle, which takes minutes
then. See docs/weather.md.`,
		Example: `  relationindex dev
  relationindex dev --capacity 4                # small index documents, to see them roll over
  relationindex dev --seed examples/seed
  relationindex dev --import ./data --export-on-exit ./data
  relationindex dev --workers 3 --chaos duplicate=0.3,reorder=0.3,delay=200ms,drop=0.1,seed=7
  relationindex dev --weather production,scale=0.1
  relationindex dev --web-port 8000 --firestore-port 0 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.parse(cmd.Flags()); err != nil {
				return err
			}
			d.out, d.messages = cmd.OutOrStdout(), cmd.OutOrStdout()
			if d.asJSON {
				d.messages = cmd.ErrOrStderr()
			}
			return d.run(cmd.Context())
		},
	}
	d.addFlags(cmd.Flags())
	return cmd
}
