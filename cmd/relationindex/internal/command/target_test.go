package command

import (
	"cmp"
	"strings"
	"testing"

	"example.com/relationindex/schema"
)

// Each combination of variables and flags: either it is refused, or it is the project that is asked.
func TestResolve(t *testing.T) {
	for _, emulator := range []string{"", "127.0.0.1:8080"} {
		for _, variable := range []string{"", "real-v", "demo-v"} {
			for _, flag := range []string{"", "real-f", "demo-f"} {
				for _, live := range []bool{false, true} {
					for _, reads := range []bool{false, true} {
						refused, want := "", flag
						switch named := cmp.Or(flag, variable); {
						case emulator != "" && live:
							refused = "--live is for production"
						case emulator != "" && strings.HasPrefix(named, "real-"):
							refused = `project "` + named + `": must begin with demo-`
						case emulator != "":
							want = cmp.Or(named, DemoProject)
						case flag == "": // whatever the variable is
							refused = "no database is selected"
						case flag == "demo-f":
							refused = `"demo-f": a project id that begins with demo- is only for the emulator`
						case !reads && !live:
							refused = "add --live"
						}
						target := Target{project: flag, live: live, Reads: reads}
						got, err := target.resolve(schema.Config{EmulatorHost: emulator, Project: variable})
						if refused == "" && (err != nil || got != want) || refused != "" && (err == nil || !strings.Contains(err.Error(), refused) || got != "") {
							t.Errorf("emulator %q, variable %q, flag %q, live %t, reads %t: %q, %v; want %q, refused %q", emulator, variable, flag, live, reads, got, err, want, refused)
						}
					}
				}
			}
		}
	}
}
