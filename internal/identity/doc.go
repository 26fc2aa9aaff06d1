// Package identity verifies the account of a request by its Firebase ID token. It also
// verifies App Check tokens where an app uses them.
//
// An ID token is valid for an hour, but its signature does not show later changes of the
// account. So the package also looks up the account of each token. It rejects
// disabled and deleted accounts, and revoked sessions. It remembers an account for a minute,
// also if it rejects its tokens: an account costs one lookup a minute, whatever its number
// of requests and tokens. A disabled account is rejected within a minute, and
// an enabled one accepted within a minute. A token that is issued after a revocation is accepted at once.
//
// The library allows for clocks that disagree: it accepts a token up to five minutes
// after the token has expired.
//
// With FIREBASE_AUTH_EMULATOR_HOST in the environment, the library uses the Auth
// emulator there, checks no signatures, and looks up the account of each token itself. Package config rejects this
// variable in a deployed function.
package identity
