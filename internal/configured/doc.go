// Package configured keeps _settings/functions: the configuration that the functions run with, and
// the gaps of their deliveries.
//
//	variables   as in config.Stored: no secrets, and no default values
//	deployed    the time when these functions were deployed, if known
//	idleSince   the time from which idle readers are left out; a reader who was never seen counts as seen then
//	gaps        by delivery (relations, timelines): found, and reason
//	database    the document's database
//	created     the document's create time
//	writtenAt   the server's time of the last write
//
// Functions write the document when they start ([Start]), commands and deployments read it ([Read]), and a
// repair closes gaps ([Close]). If the document does not exist, functions have never started here.
//
// A delivery has a gap after it was turned on, or after a change of a variable that its documents depend on.
// Functions have not delivered all documents from before the change. All deliveries have a gap if something else
// wrote the document, such as an import or a restore. Then other documents were imported too, perhaps without their
// events. The fields database, created and writtenAt reveal such a write.
package configured
