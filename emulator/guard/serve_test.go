package guard_test

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/emulator/guard"
)

// composites of the queries below. "x" is exempted.
const indexes = `{"indexes": [
  {"collectionGroup": "c", "fields": [{"fieldPath": "tags", "arrayConfig": "CONTAINS"}, {"fieldPath": "at", "order": "DESCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}, {"fieldPath": "n", "order": "ASCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "city", "order": "ASCENDING"}, {"fieldPath": "stars", "order": "ASCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "kind", "order": "DESCENDING"}, {"fieldPath": "stars", "order": "ASCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "p", "order": "ASCENDING"}, {"fieldPath": "q", "order": "DESCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "x", "order": "ASCENDING"}, {"fieldPath": "y", "order": "ASCENDING"}]},
  {"collectionGroup": "c", "fields": [{"fieldPath": "s", "order": "ASCENDING"}, {"fieldPath": "n", "order": "ASCENDING"}, {"fieldPath": "__name__", "order": "DESCENDING"}]},
  {"collectionGroup": "g", "queryScope": "COLLECTION_GROUP", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]},
  {"collectionGroup": "d", "fields": [{"fieldPath": "__name__", "order": "DESCENDING"}]}
], "fieldOverrides": [
  {"collectionGroup": "c", "fieldPath": "x", "indexes": []},
  {"collectionGroup": "c", "fieldPath": "m", "indexes": []},
  {"collectionGroup": "e", "fieldPath": "*", "indexes": []},
  {"collectionGroup": "g", "fieldPath": "one", "indexes": [{"order": "ASCENDING", "queryScope": "COLLECTION_GROUP"}]}
]}`

// offline is a client that never connects, to build queries with.
func offline(t testing.TB) *firestore.Client {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := firestore.NewClient(t.Context(), "demo-guard", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func request(t testing.TB, q firestore.Query) *pb.RunQueryRequest {
	t.Helper()
	data, err := q.Serialize()
	if err != nil {
		t.Fatal(err)
	}
	req := &pb.RunQueryRequest{}
	if err := proto.Unmarshal(data, req); err != nil {
		t.Fatal(err)
	}
	return req
}

func parse(t testing.TB, file string) *guard.Guard {
	t.Helper()
	g, err := guard.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A query is served, or refused with the words that the error must have.
func TestIndexGuard(t *testing.T) {
	client := offline(t)
	c, e, g := client.Collection("c"), client.Collection("e"), client.CollectionGroup("g")
	field := func(path, op string) firestore.PropertyFilter {
		return firestore.PropertyFilter{Path: path, Operator: op, Value: 1}
	}
	or := func(fs ...firestore.EntityFilter) firestore.OrFilter { return firestore.OrFilter{Filters: fs} }
	const served = ""
	for name, test := range map[string]struct {
		query firestore.Query
		lacks string // a part of the error
	}{
		"a whole collection":                        {c.Query, served},
		"by name":                                   {c.OrderBy(firestore.DocumentID, firestore.Asc), served},
		"a range of names":                          {c.OrderBy(firestore.DocumentID, firestore.Asc).StartAt("a").EndBefore("b"), served},
		"a whole collection group":                  {g.Query, served},
		"by name, descending":                       {c.OrderBy(firestore.DocumentID, firestore.Desc), `{"collectionGroup":"c","queryScope":"COLLECTION","fields":[{"fieldPath":"__name__","order":"DESCENDING"}]}`},
		"by name, descending, with its index":       {client.Collection("d").OrderBy(firestore.DocumentID, firestore.Desc), served},
		"an equality":                               {c.Where("a", "==", 1), served},
		"an equality, by name, descending":          {c.Where("a", "==", 1).OrderBy(firestore.DocumentID, firestore.Desc), served},
		"two equalities are merged":                 {c.Where("f", "==", 1).Where("g", "==", 1), served},
		"two equalities, one exempted":              {c.Where("f", "==", 1).Where("x", "==", 1), "c where f == ? and x == ?:"},
		"an equality on an exempted field":          {c.Where("x", "==", 1), `add to its "fieldOverrides": {"collectionGroup":"c","fieldPath":"x","indexes":[{"order":"ASCENDING"`},
		"an equality inside an exempted map":        {c.Where("m.x", "==", 1), "m.x == ?"},
		"exempted, but in a composite of both":      {c.Where("x", "==", 1).Where("y", "==", 1), served},
		"in a collection without automatic indexes": {e.Where("a", "==", 1), "e where a == ?"},
		"null":                                             {c.Where("a", "==", nil), served},
		"not null":                                         {c.Where("a", "!=", nil), served},
		"not null, exempted":                               {c.Where("x", "!=", nil), "c where x is not null"},
		"a range":                                          {c.Where("f", ">", 1).Where("f", "<", 9), served},
		"a range, descending":                              {c.Where("f", ">", 1).OrderBy("f", firestore.Desc), served},
		"a range on an exempted field":                     {c.Where("x", ">", 1), "c where x > ?"},
		"an order":                                         {c.OrderBy("f", firestore.Desc), served},
		"an order, then names the other way":               {c.OrderBy("f", firestore.Asc).OrderBy(firestore.DocumentID, firestore.Desc), `{"fieldPath":"__name__","order":"DESCENDING"}`},
		"two orders":                                       {c.OrderBy("f", firestore.Asc).OrderBy("g", firestore.Asc), `{"fieldPath":"f","order":"ASCENDING"},{"fieldPath":"g","order":"ASCENDING"}`},
		"two orders with their index":                      {c.OrderBy("p", firestore.Asc).OrderBy("q", firestore.Desc), served},
		"two orders, each reversed":                        {c.OrderBy("p", firestore.Desc).OrderBy("q", firestore.Asc), "c order by p desc, q"},
		"an equality and a range":                          {c.Where("f", "==", 1).Where("g", ">", 1), `"fields":[{"fieldPath":"f","order":"ASCENDING"},{"fieldPath":"g","order":"ASCENDING"}]`},
		"two equalities and a range, with index":           {c.Where("b", "==", 1).Where("a", "==", 1).Where("n", "<", 1), served},
		"the same, descending":                             {c.Where("a", "==", 1).Where("b", "==", 1).Where("n", "<", 1).OrderBy("n", firestore.Desc), "order by n desc"},
		"a range that is not the index's last":             {c.Where("a", "==", 1).Where("n", "==", 1).Where("b", "<", 1), "b < ?"},
		"an index with a field too many":                   {c.Where("a", "==", 1).Where("n", ">", 1), "c where a == ? and n > ?"},
		"an index that names the name's order":             {c.Where("s", "==", 1).OrderBy("n", firestore.Asc).OrderBy(firestore.DocumentID, firestore.Desc), served},
		"an index whose name's order is another":           {c.Where("s", "==", 1).OrderBy("n", firestore.Asc), "c where s == ? order by n:"},
		"composites that are merged":                       {c.Where("city", "==", 1).Where("kind", "==", 1).OrderBy("stars", firestore.Asc), served},
		"composites that end in another order":             {c.Where("city", "==", 1).Where("kind", "==", 1).OrderBy("stars", firestore.Desc), "order by stars desc"},
		"composites that lack an equality":                 {c.Where("city", "==", 1).Where("f", "==", 1).OrderBy("stars", firestore.Asc), "f == ?"},
		"an order by a field of an equality":               {c.Where("f", "==", 1).OrderBy("f", firestore.Desc), served},
		"an order by a field of an equality, then another": {c.Where("city", "==", 1).OrderBy("city", firestore.Desc).OrderBy("stars", firestore.Asc), served},
		"the same for one of several cities":               {c.Where("city", "in", []int{1, 2}).OrderBy("city", firestore.Desc).OrderBy("stars", firestore.Asc), "order by city desc, stars"},
		"ranges of two fields":                             {c.Where("f", ">", 1).Where("g", ">", 1), `[{"fieldPath":"f","order":"ASCENDING"},{"fieldPath":"g","order":"ASCENDING"}]`},
		"ranges of two fields with their index":            {c.Where("q", ">", 1).Where("p", ">", 1).OrderBy("p", firestore.Asc).OrderBy("q", firestore.Desc), served},
		"not equal":                                        {c.Where("f", "!=", 1), served},
		"not in, and an equality":                          {c.Where("f", "not-in", []int{1, 2}).Where("g", "==", 1), "f not-in ?×2 and g == ?"},
		"an element":                                       {c.Where("labels", "array-contains", 1), served},
		"any element":                                      {c.Where("labels", "array-contains-any", []int{1, 2}), served},
		"an element and an equality":                       {c.Where("labels", "array-contains", 1).Where("f", "==", 1), `[{"fieldPath":"labels","arrayConfig":"CONTAINS"},{"fieldPath":"f","order":"ASCENDING"}]`},
		"an element by time":                               {c.Where("tags", "array-contains", 1).OrderBy("at", firestore.Desc), served},
		"any element by time":                              {c.Where("tags", "array-contains-any", []int{1, 2}).OrderBy("at", firestore.Desc), served},
		"an element by time and name":                      {c.Where("tags", "array-contains", 1).OrderBy("at", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc), served},
		"an element by time, ascending":                    {c.Where("tags", "array-contains", 1).OrderBy("at", firestore.Asc), "c where tags array-contains ? order by at:"},
		"an element in an index of equalities":             {c.Where("city", "array-contains", 1).OrderBy("stars", firestore.Asc), `"arrayConfig":"CONTAINS"`},
		"in":                                               {c.Where("f", "in", []int{1, 2, 3}), served},
		"in, by name":                                      {c.Where("f", "in", []int{1, 2, 3}).OrderBy(firestore.DocumentID, firestore.Asc), served},
		"in, by its own field":                             {c.Where("f", "in", []int{1, 2, 3}).OrderBy("f", firestore.Desc), served},
		"in, exempted":                                     {c.Where("x", "in", []int{1, 2, 3}), "c where x in ?×3"},
		"in, by another field":                             {c.Where("f", "in", []int{1, 2}).OrderBy("g", firestore.Asc), "order by g"},
		"either of two fields":                             {c.WhereEntity(or(field("f", "=="), field("g", "=="))), served},
		"either of two fields, one exempted":               {c.WhereEntity(or(field("f", "=="), field("x", "=="))), "c where f == ? or x == ?"},
		"both, or another":                                 {c.WhereEntity(or(firestore.AndFilter{Filters: []firestore.EntityFilter{field("f", "=="), field("n", ">")}}, field("g", "=="))), "(f == ? and n > ?) or g == ?"},
		"a document by its id":                             {c.Where(firestore.DocumentID, "==", client.Doc("c/1")), served},
		"names after one":                                  {c.Where(firestore.DocumentID, ">", client.Doc("c/1")), served},
		"an equality and names after one":                  {c.Where("f", "==", 1).Where(firestore.DocumentID, ">", client.Doc("c/1")), served},
		"a group's equality":                               {g.Where("a", "==", 1), `add to its "fieldOverrides": {"collectionGroup":"g","fieldPath":"a"`},
		"a group's equality with its index":                {g.Where("one", "==", 1), served},
		"a group's equality, by name, descending":          {g.Where("one", "==", 1).OrderBy(firestore.DocumentID, firestore.Desc), "g (collection group)"},
		"a group's composite":                              {g.Where("a", "==", 1).OrderBy("b", firestore.Asc), served},
		"a group's composite for one collection":           {client.Collection("g").Where("a", "==", 1).OrderBy("b", firestore.Asc), `"queryScope":"COLLECTION","fields"`},
		"a group's field in one collection":                {client.Collection("g").Where("one", "==", 1), "g where one == ?"},
		"a collection below a document":                    {client.Collection("u/me/c").Where("x", "==", 1), "u/?/c where x == ?"},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, test.query)
			err := parse(t, indexes).Indexes.Check(req.GetParent(), req.GetStructuredQuery(), nil)
			switch {
			case test.lacks == served && err != nil:
				t.Errorf("refused: %v", err)
			case test.lacks != served && err == nil:
				t.Error("served, want a refusal")
			case test.lacks != served && status.Code(err) != codes.FailedPrecondition:
				t.Errorf("code %v, want FailedPrecondition", status.Code(err))
			case test.lacks != served && !strings.Contains(err.Error(), test.lacks):
				t.Errorf("%v\nwant %s in it", err, test.lacks)
			}
		})
	}
}

// The index named in the error makes the query pass.
func TestSuggestedIndexAllowsQuery(t *testing.T) {
	client := offline(t)
	for _, q := range []firestore.Query{
		client.Collection("c").Where("f", "==", 1).Where("g", ">", 1),
		client.Collection("c").Where("f", "==", 1).Where("t", "array-contains", 1),
		client.Collection("c").OrderBy(firestore.DocumentID, firestore.Desc),
		client.Collection("c").Where("t", "array-contains", 1).OrderBy("f", firestore.Desc).OrderBy("g", firestore.Asc),
		client.Collection("c").OrderBy("f", firestore.Asc).OrderBy(firestore.DocumentID, firestore.Desc),
		client.CollectionGroup("c").Where("f", "==", 1).OrderBy(firestore.DocumentID, firestore.Desc),
		client.CollectionGroup("c").Where("f", "in", []int{1, 2}),
		client.CollectionGroup("c").Where("f", "==", 1).Where("g", "==", 1).OrderBy(firestore.DocumentID, firestore.Desc),
	} {
		req := request(t, q)
		err := parse(t, `{}`).Indexes.Check(req.GetParent(), req.GetStructuredQuery(), nil)
		if err == nil {
			t.Errorf("%v is served without an index", req.GetStructuredQuery())
			continue
		}
		_, advice, _ := strings.Cut(err.Error(), "add to its ")
		key, element, _ := strings.Cut(advice, ": ")
		if err := parse(t, `{`+key+`: [`+element+`]}`).Indexes.Check(req.GetParent(), req.GetStructuredQuery(), nil); err != nil {
			t.Errorf("with %s: %v", advice, err)
		}
	}
}

func TestAggregationsNeedTheirFieldInTheIndex(t *testing.T) {
	client := offline(t)
	g := parse(t, indexes)
	sum := func(path string) *pb.StructuredAggregationQuery_Aggregation {
		return &pb.StructuredAggregationQuery_Aggregation{Operator: &pb.StructuredAggregationQuery_Aggregation_Sum_{
			Sum: &pb.StructuredAggregationQuery_Aggregation_Sum{Field: &pb.StructuredQuery_FieldReference{FieldPath: path}}}}
	}
	count := &pb.StructuredAggregationQuery_Aggregation{Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{}}
	for _, test := range []struct {
		query       firestore.Query
		aggregation *pb.StructuredAggregationQuery_Aggregation
		lacks       string
	}{
		{client.Collection("c").Query, count, ""},
		{client.Collection("c").Where("x", "==", 1), count, "c where x == ?, count:"},
		{client.Collection("c").Query, sum("f"), ""},
		{client.Collection("c").Query, sum("x"), "c, sum of x:"},
		{client.Collection("c").Where("f", "==", 1), sum("g"), "c where f == ?, sum of g:"},
		{client.Collection("c").Where("city", "==", 1), sum("stars"), ""},
	} {
		req := request(t, test.query)
		err := g.Indexes.Check(req.GetParent(), req.GetStructuredQuery(), []*pb.StructuredAggregationQuery_Aggregation{test.aggregation})
		if (err == nil) != (test.lacks == "") || err != nil && !strings.Contains(err.Error(), test.lacks) {
			t.Errorf("%v, want %q", err, test.lacks)
		}
	}
}

func TestTooManyDisjunctions(t *testing.T) {
	c := offline(t).Collection("c")
	six := []int{1, 2, 3, 4, 5, 6}
	for name, test := range map[string]struct {
		query firestore.Query
		code  codes.Code
	}{
		"30": {c.Where("f", "in", six).Where("g", "in", six[:5]), codes.OK},
		"36": {c.Where("f", "in", six).Where("g", "in", six), codes.InvalidArgument},
	} {
		req := request(t, test.query)
		err := parse(t, indexes).Indexes.Check(req.GetParent(), req.GetStructuredQuery(), nil)
		if status.Code(err) != test.code {
			t.Errorf("%s: %v, want %v", name, err, test.code)
		}
	}
}

// A cursor outside the range of its field is refused.
func TestCursorsOutsideTheRange(t *testing.T) {
	client := offline(t)
	c, noon := client.Collection("c"), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	since := c.Where("f", ">=", noon).OrderBy("f", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc)
	after, texts := c.Where("f", ">", noon).OrderBy("f", firestore.Desc), c.Where("f", ">", "b").Where("f", "<", "d").OrderBy("f", firestore.Asc)
	names := c.Where(firestore.DocumentID, ">=", client.Doc("c/m")).OrderBy(firestore.DocumentID, firestore.Asc)
	for name, test := range map[string]struct {
		query firestore.Query
		code  codes.Code
	}{
		"a time within":              {since.StartAfter(noon.Add(1), "a"), codes.OK},
		"at the first time":          {since.StartAfter(noon, "a"), codes.OK},
		"before the first time":      {since.StartAfter(noon.Add(-1), "a"), codes.InvalidArgument},
		"after a time without it":    {after.StartAfter(noon.Add(1)), codes.OK},
		"at a time that is left out": {after.StartAfter(noon), codes.InvalidArgument},
		"a text within":              {texts.StartAt("c").EndBefore("cc"), codes.OK},
		"an end beyond":              {texts.StartAt("c").EndBefore("d"), codes.InvalidArgument},
		"a number in place of texts": {texts.StartAt(1), codes.OK},
		"numbers":                    {c.Where("f", "<=", 3).OrderBy("f", firestore.Asc).StartAt(4), codes.InvalidArgument},
		"a name within":              {names.StartAfter("n"), codes.OK},
		"a name before":              {names.StartAfter("a"), codes.InvalidArgument},
		"without a range":            {c.OrderBy("f", firestore.Asc).StartAfter(noon), codes.OK},
		"without an order":           {c.Query, codes.OK},
	} {
		req := request(t, test.query)
		err := parse(t, `{"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "f", "order": "DESCENDING"}, {"fieldPath": "__name__", "order": "DESCENDING"}]}]}`).
			Indexes.Check(req.GetParent(), req.GetStructuredQuery(), nil)
		if status.Code(err) != test.code {
			t.Errorf("%s: %v, want %v", name, err, test.code)
		}
	}
}

// Values stay out of errors: they are document contents.
func TestErrorsHoldNoValues(t *testing.T) {
	c := offline(t).Collection("c")
	for _, q := range []firestore.Query{
		c.Where("x", "==", "secret"), c.Where("x", "in", []string{"secret"}), c.Where("x", "==", map[string]string{"k": "secret"}),
		c.Where("x", ">", "secret").OrderBy("x", firestore.Asc).StartAt("secret"),
		c.Doc("secret").Collection("c").Where("x", "==", 1),
	} {
		req := request(t, q)
		err := parse(t, indexes).Indexes.Check(req.GetParent(), req.GetStructuredQuery(), nil)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}
