package dev

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/examples/presets"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/schema"
)

// flags are the flags of dev that become options.
type flags struct {
	capacity     int
	chaos        string
	weather      string
	onlyProject  bool
	asJSON       bool
	exportOnExit string // a folder
	functions    string // a folder
	seed         string // a folder
	preset       string
	rules        string // a file
	ports        []port
}

func (d *dev) addFlags(f *pflag.FlagSet) {
	f.StringVar(&d.Project, "project", command.DemoProject, "project id; begins with "+command.DemoPrefix)
	f.BoolVar(&d.onlyProject, "only-project", false, "run triggers for the project of --project only")
	d.ports = []port{
		{"firestore-port", "Firestore", "the Firestore emulator", 8080, &d.FirestorePort},
		{"auth-port", "Auth", "the Auth emulator", 9099, &d.AuthPort},
		{"web-port", "the app", "the app and the console", 4000, &d.WebPort},
		{"functions-port", "the broker", "the broker, which answers /idle", 5001, &d.FunctionsPort},
	}
	for _, p := range d.ports {
		f.IntVar(p.chosen, p.flag, p.usual, "port of "+p.help+"; 0 takes a free one")
	}
	f.StringSliceVar(&d.AllowHosts, "allow-host", nil, "also answer requests for this host `name`, and pages from it; may be repeated")
	f.StringVar(&d.Import, "import", "", "begin with the data in this `folder`")
	f.StringVar(&d.exportOnExit, "export-on-exit", "", "at the end, write the data to this `folder`")
	f.StringVar(&d.preset, "preset", "", "begin with the variables of a kind of app instead of relationindex.env: "+strings.Join(presets.Names, ", "))
	f.StringVar(&d.seed, "seed", "", "write the follows and posts in this `folder`")
	f.IntVar(&d.capacity, "capacity", 0, "most followers in an index document, 1 to 10000 (default 10000)")
	f.StringVar(&d.rules, "rules", "", "use the security rules in this `file` instead of the built-in rules")
	f.BoolVar(&d.Pace, "pace", false, "use rules that limit clients' acts, as with deploy --pace; the app writes rates")
	f.IntVar(&d.Workers, "workers", 1, "processes that serve the functions, 1 to 16")
	f.StringVar(&d.functions, "functions", "", "serve the functions of the Go program in this `folder`, such as examples/embed/cmd/functions, instead of the built-in functions")
	f.StringVar(&d.chaos, "chaos", "", "failures of deliveries, as `key=value,…`")
	f.StringVar(&d.weather, "weather", "", "simulate the delays and errors of `production[,scale=0.1]`")
	f.BoolVar(&d.asJSON, "json", false, "print one line of JSON when ready")
}

// configuration returns the configuration of the preset, or of relationindex.env. The shell's variables override it.
func (d *dev) configuration() (schema.Config, error) {
	if d.preset == "" {
		return envfile.Load()
	}
	text, err := presets.Read(d.preset)
	if err != nil {
		return schema.Config{}, command.Usage(fmt.Errorf("--preset: %w", err))
	}
	return envfile.LoadOver(d.preset+".env", text)
}

// parse fills the options from the flags and the environment.
func (d *dev) parse(f *pflag.FlagSet) error {
	cfg, err := d.configuration()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(d.Project, command.DemoPrefix) {
		return command.Usagef("--project %q: must begin with %s", d.Project, command.DemoPrefix)
	}
	if f.Changed("capacity") {
		if d.capacity < 1 {
			return command.Usagef("--capacity %d: must be 1 to 10000", d.capacity)
		}
		cfg.Capacity = d.capacity
	}
	if d.Workers < 1 {
		return command.Usagef("--workers %d: must be 1 to 16", d.Workers)
	}
	if d.Chaos, err = chaos.Parse(d.chaos); err != nil {
		return command.Usagef("--chaos: %w", err)
	}
	if f.Changed("weather") {
		scale, err := parseWeather(d.weather)
		if err != nil {
			return command.Usagef("--weather: %w", err)
		}
		d.SetProductionWeather(scale, d.Chaos.Seed)
	}
	if d.rules != "" {
		if d.Rules, err = os.ReadFile(d.rules); err != nil {
			return command.Usage(fmt.Errorf("--rules: %w", err))
		}
	}
	d.Functions, d.Auth, d.Web, d.AnyProject = cfg, true, true, !d.onlyProject
	if err := d.Validate(); err != nil {
		return command.Usage(err)
	}
	for _, p := range d.ports {
		instead, err := p.choose(f)
		if err != nil {
			return err
		}
		d.say(instead)
	}
	return nil
}
