package mail_test

import (
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/mailtest"
)

// A process is killed at each of its writes, or one of its reads fails. Before another one goes
// on, followers leave, join, and move to the other index document, and the post names others.
// Nobody gets two mails, and who stays gets one.
func TestAProcessThatDiesAtAnyCall(t *testing.T) {
	t.Parallel()
	for name, misfortune := range faults.Misfortunes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mailtest.New(t, schema.Options{Settings: true})
			w.Chunk = 3
			stay := mailtest.Readers(5, 70)
			tries := 0
			for n := 1; ; n++ {
				author, post := fmt.Sprint("ada", n), fmt.Sprint("p", n)
				w.Crowd(author, mailtest.Readers(0, 60), mailtest.Readers(60, 72))
				to := func(to ...string) { w.WriteBy(author, post, to...) }
				to("named1", "r061")
				i, happened := misfortune(n)
				p := w.Open(i)
				handled := p.Deliveries.Post(t.Context(), post) == nil
				_ = p.Work(t.Context())
				if !happened() {
					break
				}
				tries++
				w.Crowd(author, append(append(mailtest.Readers(5, 60), "a0", "r0305"), "r070"), append(mailtest.Readers(60, 70), "r000", "r001", "z0"))
				w.Acquaint(author, "r030", "named2", "r069")
				_, err := w.Client.Doc("posts/"+post).Update(t.Context(), []firestore.Update{{Path: "to", Value: []string{"r030", "named2", "r069"}}})
				w.Must(err)
				w.Process = w.Open()
				if !handled {
					w.Event(w.Process, post)
				}
				w.Must(w.Work(t.Context()))
				w.WantOnce(post, stay, append(mailtest.Readers(0, 72), "a0", "r0305", "z0", "named1", "named2"))
			}
			if tries < 2 {
				t.Errorf("%d tries", tries)
			}
			t.Logf("%d tries", tries)
		})
	}
}
