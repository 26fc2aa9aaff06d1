// Package configured keeps _settings/functions: the configuration that the functions run with, and
// what their deliveries lack.
//
//	variables   as in config.Stored: no secrets, and no values as by default
//	deployed    when these functions were deployed, if they know it
//	idleSince   since when the idle are left out: readers who were never seen count as seen then
//	gaps        by delivery, relations and timelines: found, and reason
//	database    the document's database
//	created     the document's create time
//	writtenAt   the server's time of the last write
//
// Functions write it when they start ([Start]), commands and deployments read it ([Read]), and a
// repair closes gaps ([Close]). Without it, functions have never started here.
//
// A delivery has a gap when it is on and was not before, or when a variable has changed on which
// its documents rest: functions have not brought it what was written meanwhile. All deliveries have one when the
// document was written by something else, as by an import or a restore: then other documents were too, and
// perhaps without their events. That shows by database, created and writtenAt.
package configured
