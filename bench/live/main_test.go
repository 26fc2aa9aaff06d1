package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/relationindex"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// system is a project with functions. interceptors see what the probes write.
func system(t *testing.T, interceptors ...wire.Interceptor) *live {
	t.Helper()
	id := testkit.ProjectID(t)
	p, err := testkit.Machine(t).Project(t.Context(), id, schema.Config{NoOwnPosts: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	client, err := wire.Open(t.Context(), id, testkit.Machine(t).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Idle(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		for _, collection := range []string{"_relations", "users", "posts"} {
			docs, err := p.Client.Collection(collection).Documents(context.WithoutCancel(t.Context())).GetAll()
			if err != nil || len(docs) > 0 {
				t.Errorf("%d documents are left in %s (%v)", len(docs), collection, err)
			}
		}
	})
	host := testkit.Machine(t).Emulator.FirestoreHost()
	testkit.SetRules(t, host, id, relationindex.FirestoreRules)
	return &live{client: client, cfg: schema.Config{NoOwnPosts: true, EmulatorHost: host}, patience: time.Minute, losing: time.Second, idToken: token("reader")}
}

// token is what the emulator takes as uid's.
func token(uid string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(fmt.Appendf(nil, `{"sub":%q}`, uid)) + "."
}

func (l *live) asked(t *testing.T, probes string) (string, error) {
	t.Helper()
	wanted, err := choose(probes)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = l.ask(t.Context(), wanted, &out)
	return out.String(), err
}

// The emulator takes everything; the broker loses the two events that are too large.
func TestWithoutLimits(t *testing.T) {
	out, err := system(t).asked(t, "")
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"with 30000 followers is accepted", "may create 8 relations", "may change 6 relations", "may redate 8 relations", "may delete 6 relations",
		"a post has its relation after", "an edit of a post of 300 KB (600 KB before and after): no event within", "the creation of a post of 600 KB: no event within",
		"under rules",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
}

// The guards enforce the strictest limits that production documents: two index entries
// for an element, 10 MiB a transaction.
func TestWithPlannedLimits(t *testing.T) {
	guards, err := local.Guards(false, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := system(t, guards).asked(t, "entries,transaction")
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"with 10000 followers is accepted", "with 19900 followers is accepted", "with 30000 followers is refused", "more than 40,000",
		"may create 2 relations", "may change 6 relations", "may redate 1 relations", "may delete 3 relations",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
}

// A project where nothing is deployed says so.
func TestWithoutFunctions(t *testing.T) {
	l := system(t)
	l.patience = 300 * time.Millisecond
	l.client, _ = wire.Open(t.Context(), "demo-live-nothing", testkit.Machine(t).Emulator.FirestoreHost())
	out, err := l.asked(t, "events")
	if err == nil || !strings.Contains(out, "WRONG: no event of a follow arrives") {
		t.Errorf("it ends with %v:\n%s", err, out)
	}
}

// The emulator has no pipelines, as Standard edition: the probe says so, and removes its posts.
func TestPipelinesOfStandardEdition(t *testing.T) {
	l := system(t)
	l.authors = 10
	out, err := l.asked(t, "pipeline")
	if err != nil || strings.Count(out, ": rejected, as on Standard edition") != 6 || strings.Count(out, "no, rejected as on Standard edition") != 3 {
		t.Errorf("it ends with %v:\n%s", err, out)
	}
}

// A fake of Enterprise edition answers pipelines by queries of the emulator. A join that the
// database rejects, or gets wrong, is an answer of the probe.
func TestPipelinesOfEnterpriseEdition(t *testing.T) {
	for name, test := range map[string]struct {
		joined func([]*pb.Document) ([]*pb.Document, error)
		want   []string
	}{
		"accepted": {
			func(page []*pb.Document) ([]*pb.Document, error) { return page, nil },
			[]string{"of 1 followed authors by a join with the follow documents: yes, 10 posts\nread units", "of 3 followed authors by a join with the follow documents: yes, 20 posts", "of 10 followed authors by a join with the follow documents: yes, 20 posts"},
		},
		"rejected": {
			func([]*pb.Document) ([]*pb.Document, error) {
				return nil, status.Error(codes.InvalidArgument, "no subqueries")
			},
			[]string{"no, rejected, although other pipelines are accepted", "no subqueries"},
		},
		"wrong": {
			func(page []*pb.Document) ([]*pb.Document, error) { return page[1:], nil },
			[]string{"no, the pipeline returns other posts: ["},
		},
	} {
		t.Run(name, func(t *testing.T) {
			edition := &enterprise{joined: test.joined}
			l := system(t, wire.Interceptor{Stream: edition.stream})
			edition.client, l.authors = l.client, 10
			out, err := l.asked(t, "pipeline")
			if err != nil {
				t.Error(err)
			}
			for _, want := range append(test.want, "a page of 20 posts for 10 authors: 0 posts") {
				if !strings.Contains(out, want) {
					t.Errorf("it does not print %q:\n%s", want, out)
				}
			}
		})
	}
}

// enterprise answers pipelines: none without a join finds a post. joined gets the right page
// of a join, and returns the page to send.
type enterprise struct {
	client *firestore.Client
	joined func([]*pb.Document) ([]*pb.Document, error)
}

func (e *enterprise) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if !strings.HasSuffix(method, "/ExecutePipeline") {
		return open(ctx, desc, cc, method, opts...)
	}
	return &executed{ctx: ctx, edition: e}, nil
}

// page returns the answer to a pipeline.
func (e *enterprise) page(ctx context.Context, p *pb.Pipeline) ([]*pb.Document, error) {
	var stages []string
	for _, s := range p.GetStages() {
		stages = append(stages, s.GetName())
	}
	if slices.Equal(stages, []string{"collection", "where", "sort", "limit"}) {
		return nil, nil
	}
	if want := []string{"collection", "let", "select", "unnest", "select", "sort", "limit"}; !slices.Equal(stages, want) {
		return nil, status.Errorf(codes.InvalidArgument, "the stages are %v", stages)
	}
	subquery := p.GetStages()[2].GetArgs()[0].GetMapValue().GetFields()["posts"].GetFunctionValue()
	if subquery.GetName() != "array" || !strings.Contains(subquery.GetArgs()[0].GetPipelineValue().String(), "variable_reference_value") {
		return nil, status.Errorf(codes.InvalidArgument, "the subquery is %v", subquery)
	}
	follows, err := e.client.Collection(strings.TrimPrefix(p.GetStages()[0].GetArgs()[0].GetReferenceValue(), "/")).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	var posts []*firestore.DocumentSnapshot
	for _, f := range follows {
		of, err := e.client.Collection("posts").Where("audience", "==", f.Ref.ID).Documents(ctx).GetAll()
		if err != nil {
			return nil, err
		}
		posts = append(posts, of...)
	}
	slices.SortFunc(posts, func(a, b *firestore.DocumentSnapshot) int {
		return b.Data()["createdAt"].(time.Time).Compare(a.Data()["createdAt"].(time.Time))
	})
	var page []*pb.Document
	for _, d := range posts[:min(len(posts), pipelinePage)] {
		page = append(page, &pb.Document{Fields: map[string]*pb.Value{"id": {ValueType: &pb.Value_StringValue{StringValue: d.Ref.ID}}}})
	}
	return e.joined(page)
}

// executed is a call with one request and one answer.
type executed struct {
	grpc.ClientStream // nil
	ctx               context.Context
	edition           *enterprise
	pipeline          *pb.Pipeline
	answered          bool
}

func (s *executed) Context() context.Context     { return s.ctx }
func (s *executed) Header() (metadata.MD, error) { return metadata.MD{}, nil }
func (s *executed) Trailer() metadata.MD         { return nil }
func (s *executed) CloseSend() error             { return nil }

func (s *executed) SendMsg(req any) error {
	s.pipeline = req.(*pb.ExecutePipelineRequest).GetStructuredPipeline().GetPipeline()
	return nil
}

func (s *executed) RecvMsg(reply any) error {
	if s.answered {
		return io.EOF
	}
	s.answered = true
	page, err := s.edition.page(s.ctx, s.pipeline)
	if err != nil {
		return err
	}
	stats, err := anypb.New(wrapperspb.String("read units: 1"))
	if err != nil {
		return err
	}
	proto.Merge(reply.(*pb.ExecutePipelineResponse), &pb.ExecutePipelineResponse{Results: page, ExecutionTime: timestamppb.Now(), ExplainStats: &pb.ExplainStats{Data: stats}})
	return nil
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"-project", "p", "more"}, {"-project", "p", "-probe", "nothing"}} {
		if err := check(t.Context(), args, new(strings.Builder)); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
	for _, token := range []string{"x", "a.b.c", "a." + base64.RawURLEncoding.EncodeToString([]byte(`{}`)) + ".c"} {
		if _, err := subject(token); err == nil {
			t.Errorf("the token %q is taken", token)
		}
	}
}
