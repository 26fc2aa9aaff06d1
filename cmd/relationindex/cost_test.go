package main

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/testkit/program"
)

// What 20,000,000 followers cost, as it is printed.
func TestCostOfTwentyMillionFollowers(t *testing.T) {
	out := call(t, "cost", "--followers", "20000000", "--posts", "10", "--follows", "20000", "--feed-reads", "2000000", "--page-size", "20")
	out.Want(t, exitOK)
	program.Golden(t, "testdata/cost-20000000.txt", out.Stdout)
}

// What timelines beside relations cost, as it is printed.
func TestCostOfTimelines(t *testing.T) {
	out := call(t, "cost", "--followers", "300", "--timeline", "items", "--bucket", "20", "--cap", "500", "--relations-off=false", "--to", "2")
	out.Want(t, exitOK)
	program.Golden(t, "testdata/cost-timelines.txt", out.Stdout)
}

// Timelines are those of the configuration, unless flags say otherwise.
func TestCostOfConfiguredTimelines(t *testing.T) {
	t.Setenv("RELATIONINDEX_TIMELINE", "buckets")
	t.Setenv("RELATIONINDEX_BUCKET", "7")
	t.Setenv("RELATIONINDEX_CAP", "21")
	for backfill, args := range map[int][]string{0: nil, 9: {"--backfill", "9"}} {
		in := costOf(t, args...).Inputs
		if in.Layout != "buckets" || in.Bucket != 7 || in.Cap != 21 || in.RelationsOff || in.Backfill != backfill {
			t.Errorf("it took %+v", in)
		}
	}
}

// What readers decide and what comments lift is counted where it is configured.
func TestCostOfWhatReadersDecide(t *testing.T) {
	const hides, comment, off = "a reader hides the author ", "comment by who has as many followers ", "(RELATIONINDEX_SETTINGS)"
	plain := call(t, "cost", "--timeline", "items")
	plain.Want(t, exitOK, off)
	for _, row := range []string{hides, comment} {
		if strings.Contains(plain.Stdout, row) {
			t.Errorf("without settings, it printed %q", row)
		}
	}
	t.Setenv("RELATIONINDEX_TIMELINE", "items")
	t.Setenv("RELATIONINDEX_SETTINGS", "true")
	t.Setenv("RELATIONINDEX_RANKED", "true")
	args := []string{"cost", "--followers", "2000", "--posts", "10", "--cap", "500", "--relations-off", "--feed-reads", "20000", "--backfill", "100"}
	out := call(t, args...)
	out.Want(t, exitOK, hides, "613 / 4 / 5 ", comment+" 2,022 / 2,004 / 0\n", "RELATIONINDEX_SETTINGS=true")
	if strings.Contains(out.Stdout, off) {
		t.Errorf("with settings, it printed %q", off)
	}
	call(t, append(args, "--settings=false", "--ranked=false")...).Want(t, exitOK, "2,215 / 2,004 / 2,000")
}

// A cap of items is taken as it is. Buckets have it only if they are asked for by the configuration,
// since it may be no multiple of theirs.
func TestCostOfConfiguredItems(t *testing.T) {
	t.Setenv("RELATIONINDEX_TIMELINE", "items")
	t.Setenv("RELATIONINDEX_CAP", "70")
	for layout, limit := range map[string]int{"items": 70, "days": 70, "buckets": 0} {
		if in := costOf(t, "--timeline", layout).Inputs; in.Layout != layout || in.Bucket != 50 || in.Cap != limit {
			t.Errorf("%s: it took %+v", layout, in)
		}
	}
	call(t, "cost").Want(t, exitOK, "items, 70 kept", "buckets of 50, 100 kept")
}

// A configuration that is wrong stops cost, as it stops other commands.
func TestCostOfAWrongConfiguration(t *testing.T) {
	t.Setenv("RELATIONINDEX_CAP", "70")
	t.Setenv("FIRESTORE_EMULATOR_HOST", running.FirestoreHost) // verify asks what the functions run with, which may complete it
	const wrong = "RELATIONINDEX_CAP=70: requires RELATIONINDEX_TIMELINE=items or buckets"
	for _, command := range [][]string{{"cost", "--cap", "50", "--horizon", "0"}, {"verify", "--project", "demo-wrong-configuration"}} {
		out := call(t, command...)
		if out.Want(t, exitFailed, wrong); out.Stdout != "" {
			t.Errorf("%s printed %q", command, out.Stdout)
		}
	}
}

// costOf is the report of cost --json.
func costOf(t *testing.T, args ...string) (report estimate.Report) {
	t.Helper()
	out := call(t, append([]string{"cost", "--json"}, args...)...)
	out.Want(t, exitOK)
	if err := json.Unmarshal([]byte(out.Stdout), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

func TestCostAsJSON(t *testing.T) {
	report := costOf(t, "--followers", "30000")
	if report.IndexDocuments != 3 || len(report.Months) != len(estimate.Designs) || report.Inputs.FeedReads != 3000 {
		t.Errorf("it printed %+v", report)
	}
}

// Prices of flags take the place of the list's.
func TestCostWithOtherPrices(t *testing.T) {
	changes := []string{"--price", "read=1", "--price", "egress=0.25"}
	if p := costOf(t, append(changes, "--location", "nam5")...).Prices; p.Read != 1 || p.Egress != 0.25 || p.Write != 0.18 {
		t.Errorf("prices are %+v, want read 1 and egress 0.25 of the flags, write 0.18 of the list", p)
	}
	if list := estimate.ListPrices["nam5"]; list.Read != 0.06 || len(list.Changed) != 0 {
		t.Errorf("the list itself was changed: %+v", list)
	}
	call(t, append([]string{"cost"}, changes...)...).Want(t, exitOK, "egress, read changed", "yours")
}

func TestCostRefusesBadInput(t *testing.T) {
	for want, args := range map[string][]string{
		"--page-size 0: must be 1 to 50":                            {"--page-size", "0"},
		`invalid argument "99999999999999999999" for "--followers"`: {"--followers", "99999999999999999999"},
		`invalid argument "1e400" for "--posts"`:                    {"--posts", "1e400"},
		`--location "mars": must be nam5 or us-central1`:            {"--location", "mars"},
		`--price "read": must be NAME=USD`:                          {"--price", "read"},
	} {
		out := call(t, append([]string{"cost"}, args...)...)
		if out.Want(t, exitUsage, want, "--help"); strings.TrimSpace(out.Stdout) != "" {
			t.Errorf("%q printed %q", args, out.Stdout)
		}
	}
}
