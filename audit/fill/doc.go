// Package fill writes the fields audience and hidden into posts that lack them, as those of
// earlier clients do: clients' queries of posts require both. It serves commands and tests
// alone. No function links it.
package fill
