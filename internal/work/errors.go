package work

import "errors"

// ErrTooMuch means that a transaction would exceed Firestore's limit.
var ErrTooMuch = errors.New("too much for one transaction")
