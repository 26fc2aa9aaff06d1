package main

import (
	"regexp"
	"strings"
	"testing"
)

var setting = regexp.MustCompile(`(RELATIONINDEX_\w+)=([^ .]+)`)

// What cost advises names the figures, the limits that the numbers reach, and variables that the
// configuration takes.
func TestCostAdvises(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		want []string
		not  []string
	}{
		"Feed": {
			"--followers 1000000",
			[]string{
				"read relations through Feed without a horizon: 46.55 USD a month", `Next is "timelines of buckets of 50, by clients"`, "not 146 reads, 104 writes and 4 calls",
				"Set nothing: these are the defaults.", "Compare --capacity 500", "a post takes 18 minutes",
				"(RELATIONINDEX_SETTINGS) take a read more for each reader of a post: 9.00 USD a month",
			},
			[]string{"each follow is a job", "left out", "clients find posts of", "without --cap", "COPIED_FIELDS"},
		},
		"a horizon": {
			"--followers 1000000 --kept-posts 1000 --horizon 0 --own-posts",
			[]string{"with a horizon of 720h", "Set RELATIONINDEX_OWN_POSTS=true RELATIONINDEX_HORIZON=720h. Then run 'relationindex horizon 720h'.", "without --cap, a reader has 100,000 entries"},
			nil,
		},
		"pull": {
			"--followers 1000000 --follows 100000 --feed-reads 100 --following 1200 --posts 5 --posts-filled",
			[]string{
				"read by pull (GET /Feed?source=pull)", "RELATIONINDEX_HORIZON=1h RELATIONINDEX_POSTS_FILLED=true.", "200 of those followed are left out; it reads the first 1,000",
				"a reader gets 6,000 posts a day",
			},
			nil,
		},
		"relations by clients": {
			"--followers 1000000 --posts 100 --capacity 500 --page-ids 10 --feed-reads 1000000",
			[]string{"let clients query relations without a horizon", "a page takes 40 reads and 1 call, not 20 reads", "Set RELATIONINDEX_CAPACITY=500. RELATIONINDEX_COPIED_FIELDS names"},
			[]string{"Compare --capacity"},
		},
		"their horizon": {
			"--followers 1000000 --kept-posts 1000 --capacity 500 --page-ids 10 --follows 10000 --feed-reads 1000",
			[]string{"relations, by clients, horizon 720h", "clients find posts of the last 720h"},
			nil,
		},
		"a follow that is a job": {
			"--followers 1000000 --kept-posts 101 --feed-reads 10000000",
			[]string{"each follow is a job, since the author has more than 100 posts"},
			nil,
		},
		"timelines": {
			"--followers 2000 --posts 10 --feed-reads 20000 --bucket 20 --cap 60",
			[]string{
				"let clients read timelines of buckets", "Set RELATIONINDEX_TIMELINE=buckets RELATIONINDEX_BUCKET=20 RELATIONINDEX_CAP=60 RELATIONINDEX_BACKFILL=60 RELATIONINDEX_RELATIONS_OFF=true.",
			},
			[]string{"without --cap", "a post takes"},
		},
		"timelines beside relations": {
			"--followers 2000 --posts 10 --feed-reads 200000 --relations-off=false --horizon 720h --backfill 0",
			[]string{"timelines with relations beside them", "Set RELATIONINDEX_HORIZON=720h RELATIONINDEX_TIMELINE=buckets. Then run 'relationindex horizon 720h'."},
			nil,
		},
		"a query": {
			"--followers 1000000 --following 30 --kept-posts 1000 --cached-following",
			[]string{"let clients query posts (where userId in …), and run nothing", "Set nothing: no function is deployed."},
			nil,
		},
		"nothing": {
			"--followers 300",
			[]string{"These numbers do not decide", "no choice costs 1 USD a month more than the cheapest, 0.04 USD"},
			[]string{"Next is", "Set "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := call(t, append([]string{"cost"}, strings.Fields(test.args)...)...)
			out.Want(t, exitOK, append(test.want, "docs/choosing.md")...)
			_, advice, _ := strings.Cut(out.Stdout, "\nChoices")
			for _, not := range test.not {
				if strings.Contains(advice, not) {
					t.Errorf("it says %q:\n%s", not, advice)
				}
			}
			for line := range strings.Lines(advice) {
				if strings.HasPrefix(line, "Set ") {
					for _, m := range setting.FindAllStringSubmatch(line, -1) {
						t.Setenv(m[1], m[2])
					}
				}
			}
			call(t, "cost").Want(t, exitOK)
		})
	}
}

// The price of Enterprise edition is not proven, and advice says so where it matters.
func TestCostComparesEnterprise(t *testing.T) {
	for want, price := range map[string]string{"would cost less, which is not proven": "0.000001", "may cost less or more, which is not proven": "0.05", "would cost more.": "5"} {
		call(t, "cost", "--price", "enterprise-read="+price).Want(t, exitOK, "Enterprise's pipeline "+want)
	}
}
