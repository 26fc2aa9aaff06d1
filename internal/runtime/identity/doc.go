// Package identity tells whose request a request is: it verifies Firebase ID
// tokens, and App Check tokens where an app uses them.
//
// An ID token is good for an hour, and a signature says nothing of what has
// become of the account since. So each token is looked up too, which refuses
// accounts that were disabled or deleted and sessions that were revoked; and is
// then remembered for a minute, so that a client that polls costs one lookup a
// minute and not one a request. Who is disabled is refused within a minute.
//
// The library allows for clocks that disagree: a token is accepted up to five
// minutes after it has expired. Such a token is not remembered.
//
// With FIREBASE_AUTH_EMULATOR_HOST in the environment the library asks the Auth
// emulator there, and checks no signatures. Package config refuses it in a
// deployed function.
package identity
