package front

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
)

// refuse answers with FAILED_PRECONDITION, which no SDK repeats.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isGRPC(r) {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", strconv.Itoa(int(codes.FailedPrecondition)))
		w.Header().Set("Grpc-Message", strings.ReplaceAll(url.QueryEscape(err.Error()), "+", "%20"))
		w.WriteHeader(http.StatusOK)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*") // or no page gets to read why; the emulator allows every origin too
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{ // the caller may have gone
		"code": http.StatusBadRequest, "message": err.Error(), "status": "FAILED_PRECONDITION",
	}})
}
