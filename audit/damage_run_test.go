package audit_test

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// step writes some documents.
type step func(*testkit.App)

// merge writes fields of a document, set writes it whole, and gone deletes it.
func merge(path string, fields map[string]any) step {
	return func(a *testkit.App) { a.Damage(path, fields) }
}

func set(path string, fields map[string]any) step {
	return func(a *testkit.App) { a.Must(a.Client.Doc(path).Set(a.T.Context(), fields)) }
}

func gone(path string) step {
	return func(a *testkit.App) { a.Must(a.Client.Doc(path).Delete(a.T.Context())) }
}

// all makes several changes.
func all(changes ...step) step {
	return func(a *testkit.App) {
		for _, do := range changes {
			do(a)
		}
	}
}

// settled waits until the events so far are handled.
func settled(a *testkit.App) { a.Settle() }

// again delivers an event once more, which must be acknowledged.
func again(function, path string) step {
	return func(a *testkit.App) {
		a.OK(a.Handlers().Function(function)(a.T.Context(), testkit.EventOf(a.T.(*testing.T), a.ID, path)))
	}
}

func follow(author string, followers ...string) step {
	return func(a *testkit.App) {
		for _, f := range followers {
			a.Follow(f, author)
		}
	}
}

func unfollow(author string, followers ...string) step {
	return func(a *testkit.App) {
		for _, f := range followers {
			a.Unfollow(f, author)
		}
	}
}

// written is a post by the author, so many minutes after the first.
func written(post string, minutes int) step {
	return func(a *testkit.App) { a.Post(post, "author", stories.Day.Add(time.Duration(minutes)*time.Minute)) }
}

// numbered are names: numbered("r%02d", 12) are r00 to r11.
func numbered(name string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf(name, i))
	}
	return names
}

func (p policy) run(t *testing.T) {
	log := new(testkit.SyncBuffer)
	m := testkit.InProcess{Logger: logging.New(log, slog.LevelInfo)}
	if p.refuses != nil {
		m.Interceptors = []wire.Interceptor{testkit.Refusing(p.refuses)}
	}
	if p.cfg.NoOwnPosts = true; p.cfg.Capacity == 0 {
		p.cfg.Capacity = 2
	}
	a := m.OpenApp(t, p.cfg)
	if !p.empty {
		testkit.Write(t, a.Client, testkit.Twelve(t))
	}
	if p.before != nil {
		a.Register()
		all(p.before...)(a)
		a.Settle()
		a.Silence()
	}
	all(p.damage...)(a)
	if p.before != nil {
		a.Settle()
	}
	kept := map[string]any{}
	for index := range p.failed {
		kept[index] = a.Data(indexAt(index))["followers"]
	}
	log.Reset()
	a.Register()
	all(p.then...)(a)
	a.Settle()

	p.wantJobs(a)
	p.wantLog(a, log.String())
	wantReaders(a, p.sees)
	for index, before := range kept {
		testkit.Same(t, fmt.Sprintf("followers of %s are not left to a repair", index), before, a.Data(indexAt(index))["followers"])
	}
	if p.also != nil {
		p.also(a)
	}
	if len(p.told)+len(p.failed) > 0 || p.repair != nil {
		p.repairs(a)
	}
	a.WantTold()
	a.WantVerified()
	wantReaders(a, p.rests)
	if a.Config.Timeline() != "" {
		_, err := entries.Check(t.Context(), a.Instance().Timelines, entries.Options{Report: func(p entries.Problem) { t.Errorf("timelines: %v", p) }})
		a.OK(err)
	}
	if _, used := a.Repair(""); used.Writes+used.Deletes > 0 {
		t.Errorf("a second repair costs %v, want no writes", used)
	}
}

func (p policy) repairs(a *testkit.App) {
	a.T.Helper()
	if p.repair != nil {
		p.repair(a)
	} else {
		a.RepairDamaged()
	}
	if a.Config.Timeline() != "" {
		_, err := entries.Repair(a.T.Context(), a.Instance().Timelines, entries.Options{})
		a.OK(err)
	}
	a.Settle()
}

// repaired is a repair of everything.
func repaired(a *testkit.App) {
	_, err := repair.New(a.Instance()).Repair(a.T.Context(), "", nil, nil)
	a.OK(err)
}

// indexAt is the path of an index document: of "author/00002".
func indexAt(index string) string {
	author, i, _ := strings.Cut(index, "/")
	return "users/" + author + "/followers_index/" + i
}

// wantJobs checks the jobs of damage, and those that could not mend an index document.
func (p policy) wantJobs(a *testkit.App) {
	a.T.Helper()
	a.WantTold(p.told...)
	jobs, err := a.Instance().Engine.List(a.T.Context(), 100)
	a.OK(err)
	got := map[string]string{}
	for _, job := range jobs {
		if job.State == chunker.Done || job.Kind == schema.KindDamage {
			continue
		}
		leaving := job.Noted(schema.ArgLeaving)
		slices.Sort(leaving)
		got[job.Args[schema.ArgAuthor]+"/"+job.Args[schema.ArgIndex]] = strings.Join(leaving, " ")
		if job.Kind != schema.KindIndex || job.State != chunker.Failed || job.Owner == "" || !strings.Contains(job.Error.Message, "relationindex repair") {
			a.T.Errorf("the job %s is %s, of %q, with the error %+v; want it failed", job.ID, job.State, job.Owner, job.Error)
		}
	}
	want := p.failed
	if want == nil {
		want = map[string]string{}
	}
	testkit.Same(a.T, "index documents that could not be mended, and who waits to leave", want, got)
	for index := range p.failed {
		if found := a.Violations(); !slices.ContainsFunc(found, func(v verify.Violation) bool { return v.Document == indexAt(index) }) {
			a.T.Errorf("verify does not name %s: %v", index, found)
		}
	}
}

// wantLog checks that each damage is logged once, and that events fail only until a job has given up.
func (p policy) wantLog(a *testkit.App, log string) {
	a.T.Helper()
	told, again := 0, 0
	for line := range strings.Lines(log) {
		switch {
		case strings.Contains(line, `"job failed"`):
			told++
		case strings.Contains(line, `"outcome":"dropped"`), strings.Contains(line, `"panic"`),
			strings.Contains(line, ", will be re") && strings.Contains(line, schema.ErrDamaged.Error()) && !strings.Contains(line, schema.KindTimelinePost):
			// Jobs go past damage. That of a post in timelines waits until an index document is mended.
			a.T.Errorf("the log has %.600s", line)
		case strings.Contains(line, `"outcome":"failed"`):
			again++
		}
	}
	if told != len(p.told)+len(p.failed)+p.logs || again > 0 && len(p.failed) == 0 && !p.mended {
		a.T.Errorf("%d failed jobs and %d failed events are logged, want %d jobs:\n%.3000s", told, again, len(p.told)+len(p.failed)+p.logs, log)
	}
}

// wantReaders checks that readers see what sees says, and all others what posts and follower documents say.
func wantReaders(a *testkit.App, sees map[string]string) {
	a.T.Helper()
	want := map[string][]string{"author": nil, "r1": nil, "r2": nil, "r3": nil, "r9": nil, "x": nil} // who follow nobody see nothing
	follows := a.Documents(a.Client.CollectionGroup("followers").Query)
	docs, err := a.Client.Collection("posts").Documents(a.T.Context()).GetAll()
	a.OK(err)
	for _, doc := range docs {
		state, err := posts.Decode(a.Instance().DB.Config, doc)
		if err != nil {
			continue
		}
		readers := slices.Clone(state.Recipients)
		for path := range follows {
			if part := strings.Split(path, "/"); part[1] == state.Audience {
				readers = append(readers, part[3])
			}
		}
		for _, r := range readers {
			want[r] = append(want[r], state.ID)
		}
	}
	for readers, feed := range sees {
		for r := range strings.FieldsSeq(readers) {
			want[r] = strings.Fields(feed)
		}
	}
	for _, r := range slices.Sorted(maps.Keys(want)) {
		got := a.Feed(r)
		if a.Config.Timeline() != "" {
			got = nil
			for _, e := range a.Timeline(r) {
				got = append(got, e.Post)
			}
		}
		slices.Sort(got)
		slices.Sort(want[r])
		if got, want := slices.Compact(got), slices.Compact(want[r]); !slices.Equal(want, []string{unsure}) && !slices.Equal(got, want) {
			a.T.Errorf("%s sees %q, want %q", r, got, want)
		}
	}
}
