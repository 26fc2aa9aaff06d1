package operate

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/sample"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/prices"
	"example.com/relationindex/social"
)

// sampler is verify --sample.
type sampler struct {
	on      bool
	options sample.Options
	every   time.Duration // between two runs
	asJSON  bool
	out     io.Writer
}

// These flags need --sample, or --sample needs them.
const (
	flagSample = "sample"
	flagReads  = "reads"
	flagRepair = "repair"
	flagEvery  = "every"
)

// sampleHelp is a part of the help of verify.
const sampleHelp = `

With --sample, verify checks some accounts, as authors, followers and readers, until it has
read --reads documents, or 40 minutes are over. It stores where it stopped, and the next run
goes on there. This is for a live system: a document is reported only if two checks, a minute
apart, find it wrong, and no unfinished job concerns it. With --repair, verify also corrects the
documents. It prints the time and the cost of a round over all accounts, if a run starts each
--every. While the brake is on, verify --sample does nothing. It exits with 1 if something
wrong is left, or if it has checked no account. With --json, it prints lines for Cloud
Logging: let any cron run it each hour.`

func (s *sampler) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.on, flagSample, false, "check some accounts, as authors, followers and readers; the next run goes on after them")
	f.Int64Var(&s.options.Reads, flagReads, 10_000, "with --sample: the most documents that the first checks read")
	f.BoolVar(&s.options.Repair, flagRepair, false, "with --sample: correct what the checks find")
	f.DurationVar(&s.every, flagEvery, time.Hour, "with --sample: the time from one run to the next, for the estimate")
}

// checkFlags returns an error for flags that do not go together.
func (s *sampler) checkFlags(cmd *cobra.Command) error {
	for _, name := range []string{flagReads, flagRepair, flagEvery} {
		if cmd.Flags().Changed(name) && !s.on {
			return command.Usagef("--%s is for --%s", name, flagSample)
		}
	}
	switch {
	case s.on && cmd.Flags().Changed(authorFlag):
		return command.Usagef("--%s and --%s exclude each other", flagSample, authorFlag)
	case s.options.Reads < 1:
		return command.Usagef("--%s %d: must be at least 1", flagReads, s.options.Reads)
	case s.every < time.Minute:
		return command.Usagef("--%s %v: must be at least 1m", flagEvery, s.every)
	default:
		return nil
	}
}

// The messages of the lines for Cloud Logging. monitoring/metrics/sample-violations.json counts the first.
const (
	foundMessage   = "sample found a violation"
	sampledMessage = "sample"
)

// run checks some accounts. It returns command.ErrReported if any violation is left, or if no account was checked.
func (s *sampler) run(ctx context.Context, index *social.System) error {
	logger := logging.New(s.out, slog.LevelInfo)
	bar := console.Start("verify: accounts", -1)
	defer bar.End()
	o := s.options
	o.Progress = bar.Set
	var found causes
	o.Report = func(f sample.Finding) {
		if s.asJSON {
			logger.ErrorContext(ctx, foundMessage, logging.Document, f.Document, logging.Damage, f.Problem)
			return
		}
		found.finding(f)
	}
	done, err := sample.Run(ctx, index, o)
	bar.End()
	found.write(s.out)
	if err != nil {
		return err
	}
	if s.asJSON {
		for _, id := range done.Large {
			logger.WarnContext(ctx, "sample left out an account: it takes more reads than a run has", logging.Document, index.DB.Config.Collections().Users+"/"+id)
		}
		logger.InfoContext(ctx, sampledMessage, logging.Sampled, done)
	} else {
		fmt.Fprintln(s.out, s.text(done))
	}
	if done.Left > 0 || done.Accounts == 0 { // no account was checked, so there may be violations
		return command.ErrReported
	}
	return nil
}

// finding adds a finding of a sample to its cause.
func (c *causes) finding(f sample.Finding) {
	if f.Violation.Invariant == 0 {
		c.add(f.Problem, f.String())
		return
	}
	c.violation(f.Violation)
}

// text returns a report of a run, with the duration of a round.
func (s *sampler) text(done sample.Sampled) string {
	if done.Braked && done.Accounts == 0 {
		return "the brake is on: nothing was checked"
	}
	lines := []string{fmt.Sprintf("checked %s with %s", console.Counted(done.Accounts, "account"), console.Counted(done.Reads, "read"))}
	for _, id := range done.Large {
		lines = append(lines, fmt.Sprintf("left out %s, which takes more reads: relationindex verify --author %s", console.Printable(id), command.Quoted(id)))
	}
	if done.Braked {
		lines = append(lines, "the brake came on: nothing was repaired after that")
	}
	if done.Blind {
		lines = append(lines, "there are 1,000 unfinished jobs or more: each finding may be mended by one of them, and none is told. See relationindex jobs list")
	}
	if done.Busy > 0 {
		lines = append(lines, fmt.Sprintf("%s may be mended by jobs that are under way", console.Counted(done.Busy, "document")))
	}
	r := done.Round
	at := fmt.Sprintf("round %d has checked %s of %s", r.Number, console.Grouped(r.Checked), console.Counted(max(r.Accounts, r.Checked), "account"))
	if done.Ended {
		at += ", and ends"
	}
	lines = append(lines, at)
	if all := r.ReadsOfAll(); all > 0 {
		lines = append(lines, s.estimate(done, all))
	}
	found := fmt.Sprintf("verify: %d violations", done.Found)
	if s.options.Repair {
		found += fmt.Sprintf(", %d left", done.Left)
	}
	return strings.Join(append(lines, found), "\n")
}

// month is the length of a month in the estimate.
const month = 30 * 24 * time.Hour

// estimate returns a sentence with the duration of a round at this rate, and the cost of all its reads.
func (s *sampler) estimate(done sample.Sampled, all int64) string {
	runs := max(1, float64(all)/float64(max(1, done.Reads)))
	usd := func(reads float64) string {
		return console.Dollars(reads / 1e5 * prices.Lists[prices.DefaultLocation].Read)
	}
	perMonth := float64(min(done.Reads, all)) * float64(month) / float64(s.every)
	return fmt.Sprintf("a round takes about %s and %s USD; at a run each %s, %s and %s USD a month (%s; twice that in a multi-region)",
		console.Counted(all, "read"), usd(float64(all)), console.Hours(s.every),
		console.About(time.Duration(min(runs*float64(s.every), float64(maxRound)))), usd(perMonth), prices.DefaultLocation)
}

// maxRound bounds the duration of a round, so that it fits a Duration. To a reader, a century is as bad as more.
const maxRound = 100 * 365 * 24 * time.Hour
