// Package monitoring is files for Cloud Logging and Cloud Monitoring: log-based
// metrics, alert policies and a dashboard. It is a module of its own for the tests,
// so that what is deployed does not depend on the types of these APIs.
package monitoring

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/logging/apiv2/loggingpb"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"cloud.google.com/go/monitoring/dashboard/apiv1/dashboardpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

type (
	policy    = monitoringpb.AlertPolicy
	condition = monitoringpb.AlertPolicy_Condition
	promql    = monitoringpb.AlertPolicy_Condition_PrometheusQueryLanguageCondition
	tile      = dashboardpb.MosaicLayout_Tile
)

// series is a query by filter, of a condition or a chart.
type series struct {
	filter, aligner, reducer string
	groups                   []string
	period, duration         time.Duration
	alert                    bool
}

// parsed has what a file describes: one policy, metric or board, and its parts.
type parsed struct {
	policies   []*policy
	conditions []*condition
	promql     []*promql
	series     []series
	metrics    []*loggingpb.LogMetric
	boards     []*dashboardpb.Dashboard
}

// parse rejects an unknown field, an unknown enumeration value, and a number in place of a text.
func parse(t *testing.T, file, text string) (p parsed) {
	t.Helper()
	var alert policy
	var m loggingpb.LogMetric
	var board dashboardpb.Dashboard
	into := proto.Message(&board)
	switch filepath.Dir(file) {
	case "alerts":
		into, p.policies = &alert, []*policy{&alert}
	case "metrics":
		into, p.metrics = &m, []*loggingpb.LogMetric{&m}
	default:
		p.boards = []*dashboardpb.Dashboard{&board}
	}
	if err := protojson.Unmarshal([]byte(strings.ReplaceAll(text, "DEPLOYMENT", "relationindex")), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	p.conditions = alert.GetConditions()
	add := func(filter string, duration *durationpb.Duration, aggregations ...*monitoringpb.Aggregation) {
		for _, a := range aggregations {
			p.series = append(p.series, series{filter, a.GetPerSeriesAligner().String(), a.GetCrossSeriesReducer().String(), a.GetGroupByFields(), a.GetAlignmentPeriod().AsDuration(), duration.AsDuration(), len(p.policies) > 0})
		}
	}
	for _, c := range p.conditions {
		above, absent := c.GetConditionThreshold(), c.GetConditionAbsent()
		add(above.GetFilter(), above.GetDuration(), above.GetAggregations()...)
		add(above.GetDenominatorFilter(), above.GetDuration(), above.GetDenominatorAggregations()...)
		add(absent.GetFilter(), absent.GetDuration(), absent.GetAggregations()...)
		if q := c.GetConditionPrometheusQueryLanguage(); q != nil {
			p.promql = append(p.promql, q)
		}
	}
	for _, tile := range board.GetMosaicLayout().GetTiles() {
		for _, set := range tile.GetWidget().GetXyChart().GetDataSets() {
			if f := set.GetTimeSeriesQuery().GetTimeSeriesFilter(); f != nil {
				a := f.GetAggregation()
				p.series = append(p.series, series{f.GetFilter(), a.GetPerSeriesAligner().String(), a.GetCrossSeriesReducer().String(), a.GetGroupByFields(), a.GetAlignmentPeriod().AsDuration(), 0, false})
			}
		}
	}
	return p
}

var (
	metricName   = regexp.MustCompile(`^[A-Za-z0-9_.,+!*'()%-][A-Za-z0-9_.,+!*'()%/-]{0,99}$`)
	userLabel    = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,62}=[a-z0-9_-]{0,63}$`)
	metricLabel  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]{0,99}=(REGEXP_)?EXTRACT\(.+\)$`)
	alertRule    = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)?$`)
	ofMetric     = regexp.MustCompile(`metric\.type="([^"]+)"`)
	ofResource   = regexp.MustCompile(`resource\.type=("|one_of\()`)
	distribution = regexp.MustCompile(`/(lag|reads|writes|request_latencies)"`) // ours, and those of cloud.google.com/monitoring/api/metrics_gcp
	gauge        = regexp.MustCompile(`/(instance_count|oldest_unacked_message_age)"`)
)

func each[T any](all []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(all, func(one T) bool { return !ok(one) })
}

func in[T any](parts func(parsed) []T) func(func(T) bool) func(parsed) bool {
	return func(ok func(T) bool) func(parsed) bool { return func(p parsed) bool { return each(parts(p), ok) } }
}

var (
	policies   = in(func(p parsed) []*policy { return p.policies })
	conditions = in(func(p parsed) []*condition { return p.conditions })
	inPromQL   = in(func(p parsed) []*promql { return p.promql })
	inSeries   = in(func(p parsed) []series { return p.series })
	metrics    = in(func(p parsed) []*loggingpb.LogMetric { return p.metrics })
	boards     = in(func(p parsed) []*dashboardpb.Dashboard { return p.boards })
)

// within reports whether a duration is missing, or a multiple of a unit from least to most.
func within(d *durationpb.Duration, unit, least, most time.Duration) bool {
	return d == nil || d.AsDuration()%unit == 0 && d.AsDuration() >= least && d.AsDuration() <= most
}

func pairs(m map[string]string) (all []string) {
	for key, value := range m {
		all = append(all, key+"="+value)
	}
	return all
}

const (
	day       = 24 * time.Hour
	reference = "REST reference, as in gcloud 528" // projects.alertPolicies, projects.metrics, projects.dashboards
	provider  = "hashicorp/terraform-provider-google#"
)

// rules are Google's constraints beyond the types, read on 2026-11-29. date is that of the stored copy, "" if it shows none.
// A file with one replacement, from and to, breaks the rule.
var rules = []struct {
	name, source, date string
	kept               func(parsed) bool
	file, from, to     string
}{
	{"a policy has one to six conditions", reference, "2025-06", policies(func(p *policy) bool { n := len(p.GetConditions()); return n >= 1 && n <= 6 }), "alerts/lag-high", `"conditions": [`, `"conditions": [{}, {}, {}, {}, {}, {},`},
	{"a condition in a query language, or on logs, is alone", "note in monitoring/promql/create-promql-alerts; chainguard-dev/terraform-infra-common#384", "2025", policies(func(p *policy) bool {
		return len(p.GetConditions()) == 1 || each(p.GetConditions(), func(c *condition) bool { return c.GetConditionThreshold() != nil || c.GetConditionAbsent() != nil })
	}), "alerts/reads-operation", `"conditions": [`, `"conditions": [{"conditionThreshold": {}},`},
	{"PromQL does not wait for its metrics", "monitoring/alerts/using-promql, Limitations", "", inPromQL((*promql).GetDisableMetricValidation), "alerts/reads-operation", `"disableMetricValidation": true`, `"labels": {}`},
	{"PromQL has a query, each half minute or a multiple", reference, "2025-06", inPromQL(func(q *promql) bool {
		return q.GetQuery() != "" && within(q.GetEvaluationInterval(), day/2880, day/2880, day)
	}), "alerts/writes-budget", `"60s"`, `"45s"`},
	{"PromQL must hold for 0 to 24 hours", "monitoring/alerts/using-promql, Limitations", "", inPromQL(func(q *promql) bool { return within(q.GetDuration(), time.Second, 0, day) }), "alerts/writes-budget", `"300s"`, `"90000s"`},
	{"a rule of Prometheus has a label's form", reference, "2025-06", inPromQL(func(q *promql) bool { return alertRule.MatchString(q.GetAlertRule()) && len(q.GetRuleGroup()) <= 2048 }), "alerts/writes-budget", `"evaluationInterval"`, `"alertRule": "two words", "evaluationInterval"`},
	{"a policy's name has 1 to 512 characters", reference, "2025-06", policies(func(p *policy) bool { n := len([]rune(p.GetDisplayName())); return n >= 1 && n <= 512 }), "alerts/lag-high", `"DEPLOYMENT: lag-high"`, `""`},
	{"documentation is Markdown of at most 8,192 characters, and its subject of 255", reference + "; monitoring/alerts/policies-in-api", "2025-06", policies(func(p *policy) bool {
		d := p.GetDocumentation()
		return d == nil || d.GetMimeType() == "text/markdown" && len([]rune(d.GetContent())) <= 8192 && len(d.GetContent()) <= 10240 && len(d.GetSubject()) <= 255 && len(d.GetLinks()) <= 3
	}), "alerts/lag-high", `"subject": "`, `"subject": "` + strings.Repeat("x", 256)},
	{"user labels are at most 64, with two of deploy, and of lower case", reference, "2025-06", policies(func(p *policy) bool {
		return len(p.GetUserLabels()) <= 62 && each(pairs(p.GetUserLabels()), userLabel.MatchString)
	}), "alerts/lag-high", `"relationindex": "`, `"relationindex": "Prod`},
	{"a policy has a combiner", "Terraform's google_monitoring_alert_policy", "", policies(func(p *policy) bool { return p.GetCombiner() != 0 }), "alerts/lag-high", `"OR"`, `"COMBINE_UNSPECIFIED"`},
	{"a filter has a metric and its resource, in at most 2,048 characters", reference, "2025-06", inSeries(func(s series) bool {
		return ofMetric.MatchString(s.filter) && ofResource.MatchString(s.filter) && len([]rune(s.filter)) <= 2048
	}), "alerts/lag-high", ` resource.type=\"cloud_run_revision\"`, ""},
	{"a threshold is compared by < or >", reference, "2025-06", conditions(func(c *condition) bool {
		return c.GetConditionThreshold() == nil || slices.Contains([]string{"COMPARISON_LT", "COMPARISON_GT"}, c.GetConditionThreshold().GetComparison().String())
	}), "alerts/lag-high", "COMPARISON_GT", "COMPARISON_GE"},
	{"a threshold must hold for whole minutes", reference, "2025-06", conditions(func(c *condition) bool { return within(c.GetConditionThreshold().GetDuration(), time.Minute, 0, day) }), "alerts/lag-high", `"duration": "300s"`, `"duration": "90s"`},
	{"an absence lasts for 2 minutes to 23 h 30 min", reference + "; error 400, \"longer than 23h30m\"", "2025-06", conditions(func(c *condition) bool {
		return within(c.GetConditionAbsent().GetDuration(), time.Minute, 2*time.Minute, day-30*time.Minute)
	}), "alerts/sweep-missing", `"duration": "300s"`, `"duration": "86400s"`},
	{"evaluationMissingData needs a duration", reference + "; " + provider + "16892", "2025-06", conditions(func(c *condition) bool {
		return c.GetConditionThreshold().GetEvaluationMissingData() == 0 || c.GetConditionThreshold().GetDuration().AsDuration() >= time.Minute
	}), "alerts/sweep-missing", `"duration": "60s"`, `"duration": "0s"`},
	{"a period is of whole minutes; with the duration, of 25 hours at most", reference + "; " + provider + "10893", "2025-06", inSeries(func(s series) bool {
		return s.period >= time.Minute && s.period%time.Minute == 0 && (!s.alert || s.period+s.duration <= 25*time.Hour)
	}), "alerts/brake-on", `"alignmentPeriod": "300s"`, `"alignmentPeriod": "86460s"`},
	{"a reducer needs an aligner, and groups need a reducer", reference + "; " + provider + "16366", "2025-06", inSeries(func(s series) bool {
		return (s.reducer == "REDUCE_NONE" || s.aligner != "ALIGN_NONE") && (len(s.groups) == 0 || s.reducer != "REDUCE_NONE")
	}), "alerts/lag-high", `"crossSeriesReducer": "REDUCE_MAX",`, ""},
	{"an aligner fits the metric", reference + ", Aligner; google/exposure-notifications-verification-server#659", "2025-06", inSeries(func(s series) bool {
		fit := "ALIGN_DELTA ALIGN_RATE"
		if name := ofMetric.FindString(s.filter); distribution.MatchString(name) {
			fit = "ALIGN_PERCENTILE_99 ALIGN_PERCENTILE_95 ALIGN_PERCENTILE_50"
		} else if gauge.MatchString(name) {
			fit = "ALIGN_MAX ALIGN_MIN ALIGN_MEAN"
		}
		return slices.Contains(strings.Fields(fit), s.aligner)
	}), "dashboard", "ALIGN_PERCENTILE_95", "ALIGN_RATE"},
	{"both parts of a ratio have the same period and groups", reference, "2025-06", conditions(func(c *condition) bool {
		m := c.GetConditionThreshold()
		return m.GetDenominatorFilter() == "" || slices.EqualFunc(m.GetAggregations(), m.GetDenominatorAggregations(), func(a, b *monitoringpb.Aggregation) bool { return proto.Equal(a, b) })
	}), "alerts/feed-errors", `"alignmentPeriod": "300s"`, `"alignmentPeriod": "600s"`},
	{"incidents close after 30 minutes to 7 days", "error 400, nomadkaraoke/karaoke-gen#788", "2026-05", policies(func(p *policy) bool { return within(p.GetAlertStrategy().GetAutoClose(), time.Second, day/48, 7*day) }), "alerts/lag-high", `"1800s"`, `"600s"`},
	{"a condition on logs needs a rate limit", reference, "2025-06", policies(func(p *policy) bool {
		return p.GetAlertStrategy().GetNotificationRateLimit() != nil || each(p.GetConditions(), func(c *condition) bool { return c.GetConditionMatchedLog() == nil })
	}), "alerts/lag-high", `"conditions": [`, `"conditions": [{"conditionMatchedLog": {"filter": "x"}},`},
	{"a metric's name has 1 to 100 of the characters", reference, "2025-06", metrics(func(m *loggingpb.LogMetric) bool { return metricName.MatchString(m.GetName()) }), "metrics/lag", `"DEPLOYMENT/lag"`, `"/lag"`},
	{"a metric's filter has 1 to 20,000 characters, its description at most 8,000", reference, "2025-06", metrics(func(m *loggingpb.LogMetric) bool {
		return m.GetFilter() != "" && len([]rune(m.GetFilter())) <= 20000 && len([]rune(m.GetDescription())) <= 8000
	}), "metrics/lag", `"filter": "`, `"filter": "` + strings.Repeat("x", 20000)},
	{"a metric is DELTA, and a distribution has an extractor and buckets", reference, "2025-06", metrics(func(m *loggingpb.LogMetric) bool {
		kind := m.GetMetricDescriptor().GetMetricKind().String() + " " + m.GetMetricDescriptor().GetValueType().String()
		return kind == "DELTA INT64" && m.GetValueExtractor() == "" && m.GetBucketOptions() == nil || kind == "DELTA DISTRIBUTION" && m.GetValueExtractor() != "" && m.GetBucketOptions() != nil
	}), "metrics/lag", `"valueExtractor": "EXTRACT(jsonPayload.lagMs)",`, ""},
	{"a metric has at most ten labels, each with an extractor", reference + "; ten: two courses on Google Cloud", "2025-06", metrics(func(m *loggingpb.LogMetric) bool {
		labels := m.GetMetricDescriptor().GetLabels()
		return len(labels) <= 10 && len(labels) == len(m.GetLabelExtractors()) && each(pairs(m.GetLabelExtractors()), metricLabel.MatchString)
	}), "metrics/lag", `"function": "EXTRACT`, `"the function": "EXTRACT`},
	{"buckets grow from above 0", reference, "2025-06", metrics(func(m *loggingpb.LogMetric) bool {
		b := m.GetBucketOptions().GetExponentialBuckets()
		return b == nil || b.GetNumFiniteBuckets() > 0 && b.GetGrowthFactor() > 1 && b.GetScale() > 0
	}), "metrics/reads", `"growthFactor": 2`, `"growthFactor": 1`},
	{"tiles lie within 1 to 48 columns", reference, "2025-06", boards(func(d *dashboardpb.Dashboard) bool {
		columns := d.GetMosaicLayout().GetColumns()
		return columns >= 1 && columns <= 48 && each(d.GetMosaicLayout().GetTiles(), func(a *tile) bool {
			return min(a.GetXPos(), a.GetYPos()) >= 0 && min(a.GetWidth(), a.GetHeight()) >= 1 && a.GetXPos()+a.GetWidth() <= columns
		})
	}), "dashboard", `"columns": 48`, `"columns": 12`},
}

func TestFilesKeepGooglesRules(t *testing.T) {
	texts := map[string]string{}
	for _, folder := range []string{"alerts/", "metrics/", ""} {
		for _, name := range names(t, folder+"*.json") {
			texts[folder+name] = read(t, folder+name+".json")
		}
	}
	for _, r := range rules {
		for file, text := range texts {
			if !r.kept(parse(t, file, text)) {
				t.Errorf("%s breaks: %s (%s, %s)", file, r.name, r.source, r.date)
			}
		}
		if spoiled := strings.Replace(texts[r.file], r.from, r.to, 1); spoiled == texts[r.file] || r.kept(parse(t, r.file, spoiled)) {
			t.Errorf("%s with %s in place of %s does not break: %s", r.file, r.to, r.from, r.name)
		}
	}
}
