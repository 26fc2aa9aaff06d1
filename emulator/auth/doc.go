// Package auth runs the Auth emulator of firebase-tools: sign-up, sign-in and ID tokens without a Firebase project. It
// needs Node and no Java.
//
//	e, err := auth.Start(ctx, auth.Options{Project: "demo-test"})
//	...
//	defer e.Close()
//	// clients: connectAuthEmulator(getAuth(), "http://" + e.Host())
//	// servers: FIREBASE_AUTH_EMULATOR_HOST = e.Host()
//
// Starting takes some five seconds. One emulator serves any number of projects: accounts and tokens are those of the
// project that a client names. Accounts are in memory, and lost with the process.
//
// Its ID tokens are not signed. With FIREBASE_AUTH_EMULATOR_HOST, a server accepts such tokens from anybody: never set
// that variable where there is real data.
package auth
