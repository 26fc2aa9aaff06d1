package front

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
)

// httpStatus has the HTTP status of each code that this package answers with. No SDK retries a request after one of them.
var httpStatus = map[codes.Code]int{codes.FailedPrecondition: http.StatusBadRequest, codes.PermissionDenied: http.StatusForbidden}

// statusName has the name of each code in Google's API.
var statusName = map[codes.Code]string{codes.FailedPrecondition: "FAILED_PRECONDITION", codes.PermissionDenied: "PERMISSION_DENIED"}

// refuse answers with a code and the error's text. gRPC has HTTP/2. A request that claims to be gRPC in another version, like
// gRPC-web, gets a status of HTTP.
func refuse(w http.ResponseWriter, r *http.Request, code codes.Code, err error) {
	if isGRPC(r) && r.ProtoMajor == 2 {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", strconv.Itoa(int(code)))
		w.Header().Set("Grpc-Message", strings.ReplaceAll(url.QueryEscape(err.Error()), "+", "%20"))
		w.WriteHeader(http.StatusOK)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(httpStatus[code])
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{ // the caller may have disconnected
		"code": httpStatus[code], "message": err.Error(), "status": statusName[code],
	}})
}
