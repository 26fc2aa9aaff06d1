// Package horizon changes the horizon of a database with posts: the age up to which posts have relations. Only commands
// and tests use it. No function links it.
package horizon
