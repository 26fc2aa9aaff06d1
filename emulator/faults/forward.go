package faults

import (
	"context"
	"errors"
	"io"
	"path"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// firestoreMethods returns the methods of Firestore's service. It runs once and late, because the functions link this
// package and serve no proxy: their start must not pay for it.
var firestoreMethods = sync.OnceValue(func() protoreflect.MethodDescriptors {
	return pb.File_google_firestore_v1_firestore_proto.Services().ByName("Firestore").Methods()
})

// forward passes every call of Firestore's methods on. Errors keep their status.
func forward(conn *grpc.ClientConn) grpc.StreamHandler {
	return func(_ any, with grpc.ServerStream) error {
		name, _ := grpc.MethodFromServerStream(with)
		method := firestoreMethods().ByName(protoreflect.Name(path.Base(name)))
		if method == nil {
			return status.Errorf(codes.Unimplemented, "method %s is not Firestore's", name)
		}
		ctx, cancel := context.WithCancel(forwarded(with.Context()))
		defer cancel()
		if method.IsStreamingClient() || method.IsStreamingServer() {
			return converse(ctx, cancel, conn, name, method, with)
		}
		req, answer := message(method.Input()), message(method.Output())
		if err := with.RecvMsg(req); err != nil {
			return err
		}
		if err := conn.Invoke(ctx, name, req, answer); err != nil {
			return err
		}
		return with.SendMsg(answer)
	}
}

// converse passes on messages in both directions until the server ends the call, or the caller
// has disconnected.
func converse(ctx context.Context, cancel func(), conn *grpc.ClientConn, name string, method protoreflect.MethodDescriptor, with grpc.ServerStream) error {
	to, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: method.IsStreamingClient(), ServerStreams: true}, name)
	if err != nil {
		return err
	}
	ask := func() error {
		if err := passOn(with, to, method.Input()); err != nil {
			return err
		}
		return to.CloseSend() // its answers may still come
	}
	if !method.IsStreamingClient() {
		if err := ask(); err != nil {
			return err
		}
		return passOn(to, with, method.Output())
	}
	go func() {
		if ask() != nil {
			cancel() // the receiving side returns the reason
		}
	}()
	return passOn(to, with, method.Output())
}

// passOn passes messages on until the last one.
func passOn(from interface{ RecvMsg(m any) error }, to interface{ SendMsg(m any) error }, kind protoreflect.MessageDescriptor) error {
	for {
		m := message(kind)
		err := from.RecvMsg(m)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = to.SendMsg(m)
		}
		if err != nil {
			return err
		}
	}
}

// message returns a new message of the type that interceptors expect. All of Firestore's types are linked.
func message(kind protoreflect.MessageDescriptor) proto.Message {
	t, _ := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	return t.New().Interface()
}
