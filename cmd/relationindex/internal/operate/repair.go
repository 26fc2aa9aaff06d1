package operate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/strange"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/social"
)

func newRepair(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Brings: true}
	var r repairer
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Correct the index, relations and timelines to match follows and posts",
		Long: `repair runs verify, corrects what verify finds, and runs verify again. So it reads everything
twice, or once if nothing is wrong. It prints what it found, by cause, and what is left. It
exits with 1 if anything is left, if most posts have no author, or if there was nothing to
check. If timelines are on, repair then runs 'relationindex repair-timelines --delete'.

A delivery has a gap after it was off, after an import or a restore, and after a change of
a variable that decides what its documents hold. Functions log a gap, and commands print it
on standard error. repair closes the gaps that exist when it begins: run it after the
deployment has ended. With --author, repair leaves timelines and gaps alone.

Follow documents and posts are the truth: of these, repair only deletes follows that a block
forbids. From them it derives index documents, relations, and each user's list of followed
authors, and rewrites or deletes wrong ones. If it rewrites an index document, it also writes
all relations of that document, one for each post. Clients may write meanwhile. After an
interruption, run repair again. It leaves unfinished jobs alone: 'relationindex jobs list'
prints them.

With --damaged, repair only repairs the authors named by failed jobs: functions leave a failed
job for each damaged document that they cannot correct. If nothing wrong is left, repair
deletes these jobs. It leaves timelines and gaps alone.

If RELATIONINDEX_FEEDS has no relations, repair leaves relations as they are.

With --merge, repair then closes index documents of authors who lost many followers: it moves
the followers of the last document to documents with room, deletes the last document, and
continues with the next one. A later post of the author costs one write less for each closed
document. RELATIONINDEX_CAPACITY decides which documents have room. No reader misses a post.
Besides verify once or twice more, --merge costs about 12 reads and 3 writes for each moved
follower. For each post of the author it costs about 5 reads, 2 writes and a delete for each
closed document, and a write for each document that gets followers.` + command.TargetHelp,
		Example: `  relationindex repair --dry-run
  relationindex repair --author 223789 --merge
  relationindex repair --author 223789
  relationindex repair --damaged
  relationindex repair --project my-project --live --json    # one object: before, after, left`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkAuthor(cmd, r.author); err != nil {
				return err
			}
			r.out, r.hint, t.Reads = cmd.OutOrStdout(), t.Hint, r.dryRun
			return t.With(cmd.Context(), func(db *command.Database) error { return r.run(cmd.Context(), db) })
		},
	}
	t.AddFlags(cmd)
	addAuthorFlag(cmd, &r.author)
	cmd.Flags().BoolVar(&r.dryRun, "dry-run", false, "only print what verify finds and what repair would do")
	cmd.Flags().BoolVar(&r.merge, "merge", false, "also close the last index documents of authors: move their followers to documents with room")
	cmd.Flags().BoolVar(&r.damaged, "damaged", false, "only repair the authors named by jobs that failed for a damaged document")
	cmd.MarkFlagsMutuallyExclusive("merge", "dry-run", "damaged")
	cmd.MarkFlagsMutuallyExclusive("damaged", "author")
	cmd.Flags().BoolVar(&r.asJSON, "json", false, `print one object {"before","after","left"}, with --dry-run {"before"}, and another for timelines`)
	return cmd
}

// maxCounted is how many different documents with violations are counted: an author may have millions.
const maxCounted = 100_000

// repairer is one run of repair.
type repairer struct {
	author         string // "": all
	dryRun, asJSON bool
	merge, damaged bool
	out            io.Writer
	hint           func(command string, writes bool) string // another command on this database

	bar       *console.Progress
	doubt     error // why the counts do not show that all is well
	mu        sync.Mutex
	causes    causes
	found     int
	documents map[string]bool // documents with violations, up to maxCounted
	authors   map[string]bool // authors of the violations that repair mends
	early     bool            // some of the violations are mended before relations are checked
	jobs      int             // number of violations by jobs; repair leaves jobs as they are
	marks     int             // number of violations by marks, which purges have left or need
}

// run repairs all deliveries that are on. Then it closes the gap of each delivery that it has repaired to the end.
// Functions bring the writes that clients make during the run, because their delivery is on. A crash leaves the
// gaps open.
func (r *repairer) run(ctx context.Context, db *command.Database) error {
	index, err := db.Index(ctx)
	if err != nil {
		return err
	}
	if r.merge {
		if err := command.NeedsRelations(index); err != nil {
			return err
		}
	}
	mended, left := map[string]configured.Gap{}, error(nil)
	do := func(delivery string, work func(context.Context, *social.System) (whole bool, err error)) error {
		whole, err := work(ctx, index)
		if gap, ok := db.Stored.Gaps[delivery]; ok && whole {
			mended[delivery] = gap
		}
		if errors.Is(err, command.ErrReported) {
			left, err = err, nil
		}
		return err
	}
	relations := config.Relations
	if !index.DB.Config.Relations() {
		relations = "" // the gap of relations stays
	}
	err = do(relations, r.relations)
	if err == nil && index.Timelines != nil && r.author == "" && !r.damaged {
		err = do(config.Timelines, func(ctx context.Context, index *social.System) (bool, error) {
			return r.timelines(ctx, index, !db.Known)
		})
	}
	if err == nil && !r.dryRun && r.author == "" && !r.damaged && db.Known && len(mended) > 0 {
		err = configured.Close(ctx, db.Client, mended)
	}
	return cmp.Or(err, r.doubt, left)
}

// timelines repairs timelines, and reports whether nothing is left. keepOthers leaves entries that other variables
// would keep.
func (r *repairer) timelines(ctx context.Context, index *social.System, keepOthers bool) (whole bool, err error) {
	if !r.dryRun {
		counts, err := repairTimelines(ctx, index, entries.Options{KeepOthers: keepOthers}, r.asJSON, r.out)
		return err == nil && counts.Unrepaired+counts.Left == 0, err
	}
	return false, verifyTimelines(ctx, index, entries.Options{}, r.asJSON, r.out)
}

// relations repairs index documents, edges, and relations unless they are off. It also reports whether it has
// reached the end. Then jobs mend the remaining violations, or the output names them.
func (r *repairer) relations(ctx context.Context, index *social.System) (whole bool, err error) {
	r.documents, r.authors = map[string]bool{}, map[string]bool{}
	r.bar = console.Start("repair", -1)
	defer r.bar.End()
	var repaired repair.Repaired
	var last verify.Verified
	var object any
	if r.dryRun {
		verifier := verify.New(index)
		verifier.Skipped = r.skipped
		last, err = verified(ctx, verifier, r.author, r.report, func(documents int64) { r.progress("verify", documents) })
		object = map[string]verify.Verified{"before": last}
	} else {
		x := repair.New(index)
		x.Skipped = r.skipped
		work := x.Repair
		switch {
		case r.merge:
			work = x.RepairAndMerge
		case r.damaged:
			work = func(ctx context.Context, _ string, report func(verify.Violation), progress func(string, int64)) (repair.Repaired, error) {
				return x.RepairDamaged(ctx, report, progress)
			}
		}
		repaired, err = work(ctx, r.author, r.report, r.progress)
		last, object = repaired.After, repaired
	}
	r.bar.End()
	if !r.asJSON {
		r.causes.write(r.out)
	}
	if before := repaired.Before; err == nil && !r.damaged {
		if r.dryRun {
			before = last
		}
		before.Violations += repaired.Marks // as verify counts them
		r.doubt = doubt("repair", before, !index.DB.Config.Relations())
	}
	switch {
	case err != nil:
		return false, err
	case r.asJSON:
		err = json.NewEncoder(r.out).Encode(object)
	case r.damaged && repaired.Authors == 0:
		fmt.Fprintln(r.out, "no failed job names damage: nothing was checked")
	default:
		if r.damaged {
			fmt.Fprintf(r.out, "failed jobs named %d authors\n", repaired.Authors)
		}
		r.say(last, repaired)
		if r.damaged && index.Timelines != nil {
			fmt.Fprintf(r.out, "timelines of these authors' followers may lack posts: run '%s'\n", r.hint("repair-timelines", true))
		}
	}
	if err == nil && last.Violations > 0 {
		return !r.dryRun, command.ErrReported
	}
	return !r.dryRun, err
}

// report adds a violation to its cause.
func (r *repairer) report(v verify.Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.causes.violation(v)
	r.found++
	if len(r.documents) < maxCounted {
		r.documents[v.Document] = true
	}
	switch {
	case v.Invariant != 4:
		r.authors[v.Author] = true
	case strings.HasPrefix(v.Document, names.Purging+"/"):
		r.marks++
	default:
		r.jobs++
	}
	r.early = r.early || v.Invariant != 3 && v.Invariant != 4 && v.Invariant != 6
}

// skipped adds a document that is left out to its cause.
func (r *repairer) skipped(s strange.Skipped) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.causes.add("skipped: "+s.Why, s.String())
}

func (r *repairer) progress(doing string, documents int64) {
	r.bar.Describe(doing + ": documents")
	r.bar.Set(documents)
}

// say prints how many violations were found, and which of them were or would be repaired.
func (r *repairer) say(last verify.Verified, repaired repair.Repaired) {
	if last.Skipped > 0 {
		fmt.Fprintf(r.out, "skipped %d documents\n", last.Skipped)
	}
	atLeast := ""
	if len(r.documents) == maxCounted {
		atLeast = "at least "
	}
	fmt.Fprintf(r.out, "before: %d violations in %s%d documents\n", r.found, atLeast, len(r.documents))
	jobs := r.jobs
	if r.dryRun {
		fmt.Fprintf(r.out, "would repair: %d violations, of %d authors\n", r.found-r.jobs-r.marks, len(r.authors))
		if r.marks > 0 {
			fmt.Fprintf(r.out, "%d marks of purges: repair deletes those whose purge is not under way\n", r.marks)
		}
	} else {
		if repaired.Marks > 0 {
			fmt.Fprintf(r.out, "deleted %s of purges that had ended; verify counts these\n", console.Counted(repaired.Marks, "mark"))
		}
		if r.early {
			fmt.Fprintln(r.out, "verify counts more: followers and index documents are mended before relations are checked, and relations that were wrong for that reason alone are not counted")
		}
		fmt.Fprintf(r.out, "after: %d violations\n", repaired.After.Violations)
		for _, v := range repaired.Left {
			fmt.Fprintf(r.out, "left: %s\n", console.Printable(v.String()))
		}
		if n := int(repaired.After.Violations) - len(repaired.Left); n > 0 {
			fmt.Fprintf(r.out, "… and %d more\n", n)
		}
		jobs = int(repaired.After.Jobs)
	}
	if jobs > 0 {
		fmt.Fprintf(r.out, "%d jobs are not finished, and not for repair to end: see '%s'\n", jobs, r.hint("jobs list", false))
	}
}
