package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// retryJob lets a failed or canceled job go on. It answers 200 {"message"}, 404 if there is no
// job, and 409 if the job cannot go on, with {"error":{"message"}}. A second call finds the
// job under way, and changes nothing.
func (o Options) retryJob(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if schema.CheckID(id) != nil {
		answerError(w, http.StatusNotFound, fmt.Sprintf("there is no job %q", id))
		return
	}
	job, err := o.Engine.Retry(r.Context(), id)
	switch {
	case err == nil:
		answer(w, http.StatusOK, said{Message: fmt.Sprintf("job %q is queued: the functions continue where it stopped, with %d documents done", id, job.Done)})
	case errors.Is(err, chunker.ErrNotFound):
		answerError(w, http.StatusNotFound, fmt.Sprintf("there is no job %q", id))
	case errors.Is(err, chunker.ErrNotStopped):
		answerError(w, http.StatusConflict, fmt.Sprintf("job %q is under way and continues by itself", id))
	case errors.Is(err, chunker.ErrFinished):
		answerError(w, http.StatusConflict, fmt.Sprintf("job %q is done: the next change of its document queues it again", id))
	default:
		answerError(w, http.StatusInternalServerError, fmt.Sprintf("job %q was not retried: %v", id, err))
	}
}

// said is an answer of the site that is not a file.
type said struct {
	Message string   `json:"message,omitempty"`
	Error   *problem `json:"error,omitempty"`
}

type problem struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

func answerError(w http.ResponseWriter, status int, message string) {
	answer(w, status, said{Error: &problem{Message: message}})
}

func answer(w http.ResponseWriter, status int, what said) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(what) // the caller may have disconnected
}
