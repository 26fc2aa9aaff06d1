// Package fill writes the fields audience and hidden into posts that lack them, such as posts of earlier clients.
// Clients' queries of posts require both fields. Only commands and tests use it. No function links it.
package fill
