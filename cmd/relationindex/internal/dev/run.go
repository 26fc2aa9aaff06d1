package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/local/processes"
)

// dev is a run of the command dev.
type dev struct {
	processes.Options
	flags

	out, messages io.Writer // messages is standard error with --json

	mu    sync.Mutex
	ready bool
	notes []string // to say when ready
}

// say prints a note: at once if the system is ready, and otherwise when it is. It prints nothing for "".
func (d *dev) say(note string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case note == "":
	case d.ready:
		fmt.Fprintln(d.messages, note)
	default:
		d.notes = append(d.notes, note)
	}
}

func (d *dev) run(ctx context.Context) error {
	filling, err := d.checkFolders()
	if err != nil {
		return err
	}
	remove, err := d.buildFunctions(ctx)
	defer remove()
	if err != nil {
		return err
	}
	if !d.asJSON { // with JSON, notices are in the log of deliveries only
		d.Notice = d.say
	}
	return withSystem(ctx, d.Options, func(life context.Context, system *processes.System, outlive func() bool) error {
		if d.seed != "" {
			if d.Weather != nil && !d.asJSON {
				fmt.Fprintln(d.messages, "Filling it from --seed takes minutes in production's weather.")
			}
			says, err := filling.fill(life, system)
			if err != nil {
				return err
			}
			d.say(says)
		}
		if err := d.announce(system); err != nil {
			return fmt.Errorf("print that it is ready: %w", err)
		}
		if !outlive() { // ctx has ended before
			return nil
		}
		var err error
		select {
		case <-ctx.Done(): // the normal end
			err = d.export(life, system)
		case <-system.Done():
		}
		if w := system.Weather(); w != nil && !d.asJSON {
			fmt.Fprintf(d.messages, "The weather: %v\n", w.Counts())
		}
		return err
	})
}

// withSystem starts a system, calls use, and ends the system. life ends with ctx, unless use has called outlive, and
// outlive has returned true. Then the system runs on, for the export at the end.
func withSystem(ctx context.Context, o processes.Options, use func(life context.Context, system *processes.System, outlive func() bool) error) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	outlive := context.AfterFunc(ctx, end)
	progress := console.Start("starting the emulators and the functions", 0)
	system, err := processes.Start(life, o)
	progress.End()
	if err != nil {
		return err
	}
	err = use(life, system, outlive)
	return errors.Join(err, system.Err(), system.Close())
}

// checkFolders checks the folders of the flags, and returns the folder of --seed.
func (d *dev) checkFolders() (filling seed, err error) {
	if d.seed != "" {
		if filling, err = findSeed(d.seed); err != nil {
			return filling, err
		}
	}
	database := d.Functions.DatabaseID()
	if d.exportOnExit != "" {
		if err := processes.CheckExportFolder(d.exportOnExit, database); err != nil {
			return filling, fmt.Errorf("--export-on-exit: %w", err)
		}
	}
	if err := d.checkImport(database); err != nil {
		return filling, fmt.Errorf("--import: %w", err)
	}
	return filling, nil
}

// checkImport checks the folder of --import. If --export-on-exit names the same folder, the folder may be missing:
// the first run creates it.
func (d *dev) checkImport(database string) error {
	if d.Import == "" {
		return nil
	}
	if _, err := os.Stat(d.Import); errors.Is(err, os.ErrNotExist) && d.Import == d.exportOnExit {
		d.say(fmt.Sprintf("%s is not there yet, so there is nothing to import.", d.Import))
		d.Import = ""
		return nil
	}
	return processes.CheckImportFolder(d.Import, database)
}

// idleBeforeExport is the longest time that an export waits for the functions. idleInWeather is the additional time in
// production's weather, before scaling: indexes have to build, and events have to come again.
const (
	idleBeforeExport = 2 * time.Minute
	idleInWeather    = 13 * time.Minute
)

// export writes the folder of --export-on-exit.
func (d *dev) export(ctx context.Context, system *processes.System) error {
	if d.exportOnExit == "" {
		return nil
	}
	patience := idleBeforeExport
	if d.Weather != nil {
		patience += time.Duration(d.Weather.Scale * float64(idleInWeather))
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	idle := system.Broker().Idle(waiting, "") // all projects
	if idle != nil {
		idle = fmt.Errorf("the functions did not finish before the export, so the export lacks the writes for their remaining events: %w", idle)
	}
	if err := system.Export(ctx, d.exportOnExit); err != nil {
		return errors.Join(fmt.Errorf("the export to %s failed, and an earlier export was kept: %w", d.exportOnExit, err), idle)
	}
	if !d.asJSON {
		fmt.Fprintf(d.messages, "exported to %s\n", d.exportOnExit)
	}
	return idle
}

// announce prints how to reach the system, and the notes.
func (d *dev) announce(system *processes.System) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready = true
	if err := system.NoAuth(); err != nil {
		d.notes = append([]string{fmt.Sprintf("Nobody can sign in: %v", err)}, d.notes...)
	}
	if d.asJSON {
		for _, note := range d.notes {
			fmt.Fprintln(d.messages, note)
		}
		return json.NewEncoder(d.out).Encode(struct {
			Project       string `json:"project"`
			Database      string `json:"database"`
			FirestoreHost string `json:"firestoreHost"`
			FunctionsURL  string `json:"functionsURL"`
			WebURL        string `json:"webURL"`
			AuthHost      string `json:"authHost,omitempty"`
			FeedURL       string `json:"feedURL"`
		}{system.Config().Project, system.Config().DatabaseID(), system.FirestoreHost(), system.URL(), system.WebURL(), system.AuthHost(), system.FeedURL()})
	}
	_, err := io.WriteString(d.out, d.text(system))
	return err
}

func (d *dev) text(system *processes.System) string {
	var text strings.Builder
	text.WriteString("The relation index is running.\n\n")
	fmt.Fprintf(&text, "app      %s\nconsole  %s/console/\n", system.WebURL(), system.WebURL())
	if len(d.notes) > 0 {
		fmt.Fprintf(&text, "\n%s\n", strings.Join(d.notes, "\n"))
	}
	text.WriteString("\nIn another terminal:\n\n")
	for _, v := range envfile.Variables(system.Config()) {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&text, "export %s=%s\n", name, command.Quoted(value))
	}
	fmt.Fprintf(&text, "\nidle  %s/idle?timeout=60s answers when everything written has had its consequences\n", system.URL())
	fmt.Fprintf(&text, "feed  %s\nlogs  %s\n", system.FeedURL(), system.Dir())
	if system.Workers() > 1 {
		fmt.Fprintf(&text, "\nThe functions are served by %d processes.\n", system.Workers())
	}
	if spec := d.Chaos.String(); spec != "" {
		fmt.Fprintf(&text, "\nDeliveries go wrong on purpose: --chaos %s\n", spec)
	}
	if d.Weather != nil {
		fmt.Fprintf(&text, "\nSimulating production's weather. Long waits are %s. Composite indexes build for %v.\n"+
			"Feeds are late, and functions meet errors; calls of browsers and by REST are not slowed.\n", scaled(d.Weather.Scale), time.Duration(d.Weather.Scale*float64(d.Weather.Building)).Round(time.Second))
	}
	text.WriteString("\nIt is for made-up data: whatever runs on this machine, or is served by it, can read and change all of it.\n\nCtrl-C ends it.\n")
	return text.String()
}
