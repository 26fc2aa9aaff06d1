package operate

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/sample"
)

func TestSampleAsText(t *testing.T) {
	t.Parallel()
	s := sampler{every: time.Hour}
	round := sample.Round{Number: 3, Accounts: 1_000_000, Checked: 240, Reads: 4_600}
	for name, tt := range map[string]struct {
		done sample.Sampled
		want string
	}{
		"a run": {sample.Sampled{Accounts: 120, Reads: 2_300, Large: []string{"big"}, Busy: 1, Found: 2, Round: round}, `checked 120 accounts with 2,300 reads
left out big, which takes more reads: relationindex verify --author big
1 document may be mended by jobs that are under way
round 3 has checked 240 of 1,000,000 accounts
a round takes about 19,166,666 reads and 5.75 USD; at a run each 1h, 347d and 0.50 USD a month (us-central1; twice that in a multi-region)
verify: 2 violations`},
		"the end of a round": {sample.Sampled{Accounts: 1, Reads: 20, Ended: true, Round: sample.Round{Number: 1, Accounts: 1, Checked: 1, Reads: 20}}, `checked 1 account with 20 reads
round 1 has checked 1 of 1 account, and ends
a round takes about 20 reads and < 0.01 USD; at a run each 1h, 1h and < 0.01 USD a month (us-central1; twice that in a multi-region)
verify: 0 violations`},
		"the brake": {sample.Sampled{Braked: true}, "the brake is on: nothing was checked"},
	} {
		if diff := cmp.Diff(tt.want, s.text(tt.done)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The metric counts a line for each finding.
func TestMetricCountsFindings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../monitoring/metrics/sample-violations.json")
	if err != nil || !strings.Contains(string(text), `jsonPayload.message=\"`+foundMessage+`\""`) {
		t.Errorf("it does not count %q: %v\n%s", foundMessage, err, text)
	}
}
