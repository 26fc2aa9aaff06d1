package main

import (
	"testing"
	"time"

	"example.com/relationindex/schema"
)

// A shell without the functions' variable works on no index that ends at a horizon.
func TestHorizon(t *testing.T) {
	const project = "demo-horizon"
	c := client(t, project)
	relationindex(t, "horizon", "--project", project).Want(t, exitOK, "no horizon: posts of any age have relations\n")
	relationindex(t, "horizon", "0", "--project", project).Want(t, exitOK, "0 relations have a new expireAt\nrepaired: 0 violations before, 0 after\nno horizon: posts of any age have relations\n")
	relationindex(t, "horizon", "24h", "--project", project).Want(t, exitUsage, "RELATIONINDEX_HORIZON is not set: deploy the functions with RELATIONINDEX_HORIZON=24h first\n")
	for _, wrong := range []string{"30m", "-1h", "many", "5", "30d", "100", "-5"} {
		relationindex(t, "horizon", "--project", project, wrong).Want(t, exitUsage, "DURATION must be 0, or 1h to 87600h, such as 720h for 30 days (there is no unit d)")
	}
	relationindex(t, "horizon", "--project", project, "-x").Want(t, exitUsage, "unknown shorthand flag: 'x' in -x")
	if err := schema.BeginHorizon(t.Context(), c, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	relationindex(t, "horizon", "--project", project).Want(t, exitOK, "the horizon is 24h\n")
	relationindex(t, "horizon", "--project", project, "--json").Want(t, exitOK, `{"feed":"24h0m0s","kept":"24h0m0s"}`)
	for _, args := range [][]string{{"verify"}, {"repair"}, {"fill-posts"}, {"horizon", "0"}} {
		relationindex(t, append(args, "--project", project)...).Want(t, exitFailed, "RELATIONINDEX_HORIZON is not set")
	}
	relationindex(t, "feed", "--as", "ada", "--all", "--project", project).Want(t, exitOK, "")
	t.Setenv("RELATIONINDEX_HORIZON", "24h")
	relationindex(t, "horizon", "25h", "--project", project).Want(t, exitUsage, "RELATIONINDEX_HORIZON is 24h: deploy")
	t.Setenv("RELATIONINDEX_HORIZON", "168h")
	relationindex(t, "horizon", "--project", project).Want(t, exitOK, "the horizon is 24h\nRELATIONINDEX_HORIZON allows up to 168h; 24h is stored: run 'relationindex horizon 168h'\n")
	relationindex(t, "verify", "--project", project).Want(t, exitFailed, "found nothing to check: no follows, no posts") // and not the horizon
	for fields, want := range map[[2]string]string{{"5h", "9h"}: "readers rely on 5h, functions keep 9h", {"5", "9h"}: "run relationindex horizon DURATION"} {
		if _, err := schema.HorizonDocument(c).Set(t.Context(), map[string]any{"feed": fields[0], "kept": fields[1]}); err != nil {
			t.Fatal(err)
		}
		code := exitOK
		if fields[0] == "5" {
			code = exitFailed
		}
		relationindex(t, "horizon", "--project", project).Want(t, code, want)
	}
}
