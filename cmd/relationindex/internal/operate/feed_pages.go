package operate

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/feed"
	"example.com/relationindex/internal/console"
)

// pagesOptions are options of the command feed when it reads pages as the function Feed does.
type pagesOptions struct {
	source string // feed.SourceRelations, feed.SourcePull, feed.SourceTimeline; "": as Feed without one
	all    bool   // all pages instead of the first
}

// printPages prints posts as the function Feed reads them. With JSON, it prints each page
// before it reads the next.
func printPages(cmd *cobra.Command, db *command.Database, reader string, limit int, opts pagesOptions, asJSON bool) error {
	f := feed.New(db.Client, db.Config, nil)
	read := f.Page
	switch opts.source {
	case feed.SourcePull:
		read = f.Pull
	case feed.SourceTimeline:
		read = f.Timeline
	}
	var entries []Entry
	leftOut := int64(0)
	err := eachPage(cmd.Context(), read, reader, limit, opts.all, func(page feed.Page) error {
		leftOut = page.LeftOut
		for _, err := range page.Damaged {
			fmt.Fprintf(cmd.ErrOrStderr(), "left out: %s\n", console.Line(err.Error()))
		}
		var found []Entry
		for _, p := range page.Posts {
			found = append(found, Entry{PostID: p.ID, UserID: p.UserID, CreatedAt: p.CreatedAt})
		}
		if asJSON {
			return printFeed(cmd, reader, found, true)
		}
		entries = append(entries, found...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("feed of %s: %w", reader, err)
	}
	if leftOut > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s follows %d more than the %d whose posts are read\n", console.Line(reader), leftOut, feed.MaxFollowed)
	}
	if asJSON {
		return nil
	}
	return printFeed(cmd, reader, entries, false)
}

// eachPage calls use for the first page of a feed, or for all pages.
func eachPage(ctx context.Context, read func(ctx context.Context, reader string, limit int, from string) (feed.Page, error), reader string, limit int, all bool, use func(feed.Page) error) error {
	for from := ""; ; {
		page, err := read(ctx, reader, limit, from)
		if err != nil {
			return err
		}
		if err := use(page); err != nil {
			return err
		}
		if from = page.Cursor; from == "" || !all {
			return nil
		}
	}
}
