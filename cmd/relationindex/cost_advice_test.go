package main

import (
	"regexp"
	"strings"
	"testing"

	"example.com/relationindex/internal/envfile"
)

var setting = regexp.MustCompile(`(RELATIONINDEX_\w+)=([^ .]+)`)

// The advice of cost names the limits that the numbers reach, and existing configuration variables.
func TestCostAdvises(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		want []string
		not  []string
	}{
		"Feed": {
			"--followers 1000000 --feed-reads 50000",
			[]string{
				"The cheapest is relations, by Feed: 26.31 USD", "Next is ring of 500, by clients, with ", "Set nothing: these are the defaults.\n",
				"Compare --capacity 500", "a post takes 18 minutes", "(RELATIONINDEX_SETTINGS) cost 9.00 USD more",
			},
			[]string{"leaves out", "may query posts", "COPIED_FIELDS"},
		},
		"a horizon": {
			"--followers 1000000 --kept-posts 1000 --feed-reads 1000",
			[]string{"Relations by Feed cost ", "USD with --horizon 720h."},
			nil,
		},
		"with a horizon": {
			"--followers 1000000 --kept-posts 1000 --horizon 720h",
			[]string{"The cheapest is relations of 720h, by Feed", "Set RELATIONINDEX_HORIZON=720h."},
			[]string{"with --horizon"},
		},
		"pull": {
			"--followers 1000000 --follows 100000 --feed-reads 100 --following 1200 --posts 5",
			[]string{"The cheapest is pull, by Feed", "Set RELATIONINDEX_HORIZON=1h.", "Pull reads the first 1,000 of those followed"},
			nil,
		},
		"relations by clients": {
			"--users 10000 --following 60 --posts 2 --capacity 50",
			[]string{"The cheapest is relations, by clients", "Set RELATIONINDEX_CAPACITY=50. RELATIONINDEX_COPIED_FIELDS names"},
			[]string{"Compare --capacity"},
		},
		"timelines": {
			"--followers 2000 --posts 10 --feed-reads 20000 --bucket 20 --cap 50",
			[]string{"The cheapest is ring of 60, by clients", "Set RELATIONINDEX_FEEDS=buckets RELATIONINDEX_BUCKET=20 RELATIONINDEX_CAP=60 RELATIONINDEX_BACKFILL=60."},
			[]string{"a post takes"},
		},
		"a query": {
			"--followers 1000000 --following 30",
			[]string{"clients may query posts (where userId in …), and no function runs"},
			nil,
		},
		"nothing": {
			"--followers 300",
			[]string{"These numbers do not decide: no way costs 1 USD a month more than the cheapest."},
			[]string{"The cheapest"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := call(t, append([]string{"cost"}, strings.Fields(test.args)...)...)
			out.Want(t, exitOK, append(test.want, "docs/choosing.md")...)
			for _, not := range test.not {
				if strings.Contains(out.Stdout, not) {
					t.Errorf("it says %q:\n%s", not, out.Stdout)
				}
			}
			for _, m := range setting.FindAllStringSubmatch(out.Stdout, -1) {
				t.Setenv(m[1], m[2])
			}
			if _, err := envfile.Load(); err != nil {
				t.Error(err)
			}
		})
	}
}
