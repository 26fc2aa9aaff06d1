package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/emulator/auth"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

const (
	// maxSignIns is how many accounts of a seed you can sign in to.
	maxSignIns = 100

	// maxOffered is how many of these accounts the sign-in page shows.
	maxOffered = 12

	// seedPassword is the password of all seeded accounts.
	seedPassword = "password"

	maxUIDBytes = 128 // most bytes of an account id in Firebase Auth
)

// mailName matches an id that can be the part of an address before @example.com.
var mailName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// seed is a folder of --seed.
type seed struct {
	follows, posts []string // paths
}

// findSeed returns the files of a folder.
func findSeed(folder string) (s seed, err error) {
	if info, err := os.Stat(folder); err != nil {
		return s, command.Usagef("--seed: %w", err)
	} else if !info.IsDir() {
		return s, command.Usagef("--seed %s: must be a folder", folder)
	}
	if s.follows, err = followFiles.files(folder); err != nil {
		return s, err
	}
	if s.posts, err = postFiles.files(folder); err != nil {
		return s, err
	}
	if len(s.follows)+len(s.posts) == 0 {
		return s, command.Usagef("--seed %s: has no file follows*.csv or posts*.csv (or .txt, .gz)", folder)
	}
	return s, nil
}

// fill writes profiles, follows and posts, and makes accounts. It waits until the functions have finished, and returns
// a summary.
func (s seed) fill(ctx context.Context, system *processes.System) (says string, err error) {
	c := system.Config().Collections()
	ids, following, err := s.accounts(ctx, c)
	if err != nil {
		return "", fmt.Errorf("seed: %w", err)
	}
	signIns, err := signUp(ctx, system, ids)
	if err != nil {
		return "", fmt.Errorf("seed: %w", err)
	}
	system.OfferSignIns(mostToSee(signIns, following))
	counts := make([]int64, 0, 3)
	for _, part := range []struct {
		name      string
		documents iter.Seq2[files.Document, error]
	}{
		{"profiles", profiles(ids, c)},
		{"follows", followFiles.documents(ctx, s.follows, c)},
		{"posts", postFiles.documents(ctx, s.posts, c)},
	} {
		progress := console.Start("writing "+part.name, 0)
		done, err := files.Import(ctx, system.Client(), part.documents, files.ImportOptions{Progress: progress.Set})
		progress.End()
		if err != nil {
			return "", fmt.Errorf("seed: %s: %w", part.name, err)
		}
		counts = append(counts, done.Imported+done.Found)
	}
	waiting := console.Start("waiting for the functions", 0)
	defer waiting.End()
	if err := system.Idle(ctx); err != nil {
		return "", fmt.Errorf("seed: %w", err)
	}
	return fmt.Sprintf("The seed has %d profiles, %d follows and %d posts.%s", counts[0], counts[1], counts[2], howToSignIn(signIns)), nil
}

// accounts returns the ids in the files, each once. Followers come first, because they have a feed. following has the
// number of accounts that each follower follows.
func (s seed) accounts(ctx context.Context, c names.Collections) (ids []string, following map[string]int, err error) {
	seen := map[string]bool{}
	following = map[string]int{}
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, name := range []string{"follower", "followed"} {
		for d, err := range followFiles.documents(ctx, s.follows, c) {
			if err != nil {
				return nil, nil, err
			}
			add(d.Row.Get(name))
			if name == "follower" {
				following[d.Row.Get(name)]++
			}
		}
	}
	for d, err := range postFiles.documents(ctx, s.posts, c) {
		if err != nil {
			return nil, nil, err
		}
		add(d.Row.Get("author"))
	}
	return ids, following, nil
}

// profiles returns the user documents of accounts.
func profiles(ids []string, c names.Collections) iter.Seq2[files.Document, error] {
	return func(yield func(files.Document, error) bool) {
		for _, id := range ids {
			d := files.Document{Path: c.WithDefaults().Users + "/" + id, Data: map[string]any{"name": id, "nameLower": schema.NameKey(id)}}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// signUp creates accounts for the first ids. Without an Auth emulator, it creates none; dev prints that nobody can
// sign in.
func signUp(ctx context.Context, system *processes.System, ids []string) (signIns []site.SignIn, err error) {
	for i, id := range ids {
		if len(signIns) == maxSignIns {
			break
		}
		if schema.IsGroup(id) || len(id) > maxUIDBytes {
			continue
		}
		email := "seed+" + strconv.Itoa(i+1) + "@example.com" // no mailName has a plus
		if mailName.MatchString(id) {
			email = id + "@example.com"
		}
		err := system.CreateAccount(ctx, auth.Account{ID: id, Email: email, Password: seedPassword, Name: id})
		if errors.Is(err, auth.ErrNotInstalled) {
			return nil, nil
		}
		if errors.Is(err, auth.ErrEmailTaken) { // another account has this address
			continue
		}
		if err != nil {
			return nil, err
		}
		signIns = append(signIns, site.SignIn{Name: id, Email: email, Password: seedPassword})
	}
	return signIns, nil
}

// mostToSee returns the accounts for the sign-in page. Accounts that follow most come first. Each name is the id.
func mostToSee(signIns []site.SignIn, following map[string]int) []site.SignIn {
	sorted := slices.SortedStableFunc(slices.Values(signIns), func(a, b site.SignIn) int {
		return cmp.Compare(following[b.Name], following[a.Name])
	})
	return sorted[:min(len(sorted), maxOffered)]
}

func howToSignIn(signIns []site.SignIn) string {
	if len(signIns) == 0 {
		return ""
	}
	var emails []string
	for _, a := range signIns[:min(len(signIns), 5)] {
		emails = append(emails, a.Email)
	}
	more := ""
	if n := len(signIns) - len(emails); n > 0 {
		more = fmt.Sprintf(" or %d others", n)
	}
	return fmt.Sprintf("\nSign in as %s%s with the password %q.", strings.Join(emails, ", "), more, seedPassword)
}
