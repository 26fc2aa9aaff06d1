// Package identity verifies the account of a request by its Firebase ID token. It also
// verifies App Check tokens where an app uses them.
//
// An ID token is valid for an hour, but its signature does not show later changes of the
// account. So the package also reads the account of each token. It rejects
// disabled and deleted accounts, and revoked sessions. It remembers a verified token for a
// minute: a client that polls costs one lookup a minute, not one a request. A disabled
// account is rejected within a minute.
//
// The library allows for clocks that disagree: it accepts a token up to five minutes
// after the token has expired. Such a token is not remembered.
//
// With FIREBASE_AUTH_EMULATOR_HOST in the environment, the library uses the Auth
// emulator there, and checks no signatures. Package config rejects this variable in a
// deployed function.
package identity
