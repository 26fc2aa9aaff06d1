package dev

import "github.com/spf13/cobra"

func newDev() *cobra.Command {
	var d dev
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run emulators, triggers, functions and the web app until Ctrl-C",
		Long: `dev runs the Firestore emulator, with the project's rules, and the functions, and
delivers the emulator's events to them as production does. It serves an app to sign
in to, follow and post with, and a console that shows what becomes of it: index
documents, relations, timelines, jobs, and what each action costs. When all is ready
it prints how to reach it, and runs until Ctrl-C or SIGTERM. Then it leaves no
process behind, and only its logs. The data is in memory: it is lost, unless
--export-on-exit saves it, and a crash loses it in any case. It is for
made-up data: every program of this machine can read and change it, and so can every
page that this machine serves.

Its ports answer programs, and pages of localhost, *.localhost, 127.0.0.0/8 and ::1 with
any port. Pages of other sites, and requests for a host of another name, get 403. An
Android emulator reaches them at 10.0.2.2. --allow-host NAME lets in one more name, such as
host.docker.internal for a container, or that of a page elsewhere which you develop.
All ports are on 127.0.0.1. Free ones that no client is told of, of the emulators, proxies and
the functions behind these, have no such check: leave made-up data alone there too.

The ports are those of Firebase's tools where they are free: 8080 for Firestore, 9099
for Auth, 4000 for the app and the console, 5001 for the broker. dev says where it has
taken another. A flag chooses a port, and dev fails if somebody has it.

Every project id that begins with demo- has triggers, so that an app finds them
whatever it was initialized with. --project is the one that the app and the console
show. The Auth emulator has the accounts of that project alone: clients name none when
they sign in, and Feed takes their tokens for every project. Feed of another project is
at {webURL}/projects/{project}/Feed. {webURL}/config.json, with ?project= for another,
has all that a client needs; pages at http://localhost and 127.0.0.1 may read it and
call Feed.

To sign in takes the Auth emulator, which is part of firebase-tools and comes with
'cd web && npm ci'. Without it everything else runs.

With --json it prints one line: {"project","database","firestoreHost","functionsURL",
"webURL","authHost","feedURL"}, without authHost if there is no Auth emulator; what else
there is to say goes to standard error. The app is at webURL, the console at {webURL}/console/. GET {functionsURL}/idle?timeout=60s answers
200 when everything that was written has had its consequences, and 504 when the time
is over first.

--export-on-exit FOLDER waits at the end until the functions are idle, up to two
minutes, and then writes all documents and accounts, as 'firebase emulators:export' does.
The previous folder is replaced when the new one is complete. --import FOLDER begins
with such a folder, also one of firebase-tools; it may be missing the first time if it is
that of --export-on-exit too. Events are not replayed, and jobs go on.
Projects other than --project are in folders of their own below projects/. Accounts of
tenants are left out.

--seed FOLDER writes the follows and posts in its files, and a profile for each account in
them, and waits until the functions are idle. What is there stays as it is.

  follows*.csv  follower,followed
  posts*.csv    author,createdAt,text

The names may end with .txt or .gz too. A first line with these names gives the columns
another order; it may name id for posts. Without it they are in this order, and text may
be missing. Values are separated by commas, or by blanks and tabs. createdAt is as in
2026-01-02T03:04:05Z, or seconds since 1970. A line that is wrong ends dev. The first 100
accounts, followers first, get a sign-in with the password "password": dev says with which
addresses. examples/seed is such a folder.

RELATIONINDEX_ variables configure the functions; --capacity is one of them.

--workers serves the functions by several processes that share the events, as
production's instances do. --chaos makes deliveries as bad as production's can be:

  duplicate  share of events that are delivered twice, 0 to 1
  reorder    share of events that are held back, so that later ones overtake them
  delay      longest wait of a second and of a held back delivery (200ms)
  drop       share of deliveries that get lost at first, and are delivered again
  lose       share of events, but those of user documents, that get lost for good
  seed       chooses which: the same writes meet the same fate again

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
