package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/cost"
	"example.com/relationindex/prices"
	"example.com/relationindex/testkit/program"
)

// The printed cost of 20,000,000 followers.
func TestCostOfTwentyMillionFollowers(t *testing.T) {
	out := call(t, "cost", "--followers", "20000000", "--posts", "10", "--follows", "20000", "--feed-reads", "2000000")
	out.Want(t, exitOK)
	program.Golden(t, "testdata/cost-20000000.txt", out.Stdout)
}

// The printed cost of operations.
func TestCostOfTimelines(t *testing.T) {
	out := call(t, "cost", "--followers", "300", "--bucket", "20", "--cap", "250", "--backfill", "50", "--operations")
	out.Want(t, exitOK)
	program.Golden(t, "testdata/cost-timelines.txt", out.Stdout)
}

const app = "cost --users 10000 --following 100 --posts 0.5 --opens 5"

// README.md has the row of relations that cost prints for the app that it names.
func TestReadmeMatchesCostOutput(t *testing.T) {
	file, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	out := call(t, strings.Fields(app)...)
	out.Want(t, exitOK, "An app of 10,000 users, who follow 100 each and have 100 posts. Each day, each has 0.5 posts and 5 pages.")
	columns := regexp.MustCompile(`  +`)
	for line := range strings.Lines(out.Stdout) {
		if strings.HasPrefix(line, "  relations, by Feed ") {
			row := "|" + columns.ReplaceAllString(strings.TrimSpace(line), "|") + "|"
			if !strings.Contains(string(file), row) || !strings.Contains(string(file), "relationindex "+app) {
				t.Errorf("README.md does not have %s, of relationindex %s", row, app)
			}
			return
		}
	}
	t.Errorf("no row of relations:\n%s", out.Stdout)
}

// An app is as many authors, with as many followers as they follow. Sweep is there once.
func TestCostOfAnApp(t *testing.T) {
	one := costOf(t, "--followers", "100", "--posts", "0.5", "--feed-reads", "5")
	all := costOf(t, strings.Fields(app)[1:]...)
	for _, m := range all.Months {
		same := monthOf(t, one, m.Form, m.Feed)
		sweeps := prices.Sweep().Times(30 * 24 * 60)
		want := same.Used.Plus(sweeps.Times(-1)).Times(10_000).Plus(sweeps)
		if diff := m.Used.Plus(want.Times(-1)); max(diff.Reads, diff.Writes, diff.Deletes, diff.Invocations) > 1e-3 || m.Egress != same.Egress*10_000 {
			t.Errorf("%s: used %+v, want %+v", m.Form, m.Used, want)
		}
	}
}

// costOf is the result of cost --json.
func costOf(t *testing.T, args ...string) (result cost.Result) {
	t.Helper()
	out := call(t, append([]string{"cost", "--json"}, args...)...)
	out.Want(t, exitOK)
	if err := json.Unmarshal([]byte(out.Stdout), &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func monthOf(t *testing.T, r cost.Result, form string, feed bool) prices.Month {
	t.Helper()
	for _, m := range r.Months {
		if m.Form == form && m.Feed == feed {
			return m
		}
	}
	t.Fatalf("no month of %s, Feed %v", form, feed)
	return prices.Month{}
}

// Prices of flags take the place of the list's.
func TestCostWithOtherPrices(t *testing.T) {
	if p := costOf(t, "--price", "read=1", "--price", "egress=0.25", "--location", "nam5").Prices; p.Read != 1 || p.Egress != 0.25 || p.Write != 0.18 {
		t.Errorf("prices are %+v, want read 1 and egress 0.25 of the flags, write 0.18 of the list", p)
	}
	if list := prices.Lists["nam5"]; list.Read != 0.06 {
		t.Errorf("the list itself was changed: %+v", list)
	}
}
