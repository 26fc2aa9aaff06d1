module example.com/relationindex/monitoring

go 1.26.0

require (
	cloud.google.com/go/logging v1.13.0
	cloud.google.com/go/monitoring v1.24.2
	google.golang.org/protobuf v1.36.11
)

require (
	cloud.google.com/go/longrunning v0.6.6 // indirect
	golang.org/x/net v0.55.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
	golang.org/x/text v0.37.0 // indirect
	google.golang.org/genproto v0.0.0-20250303144028-a0af3efb3deb // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260715232425-e75dac1f907d // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260715232425-e75dac1f907d // indirect
	google.golang.org/grpc v1.79.3 // indirect
)
