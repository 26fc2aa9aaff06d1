// Package jobdocs defines the documents of jobs: their fields and states. Operators read, delete and
// redact the documents with it. Package chunker creates the jobs and runs them. Its
// Engine embeds a [Store], so call the methods on the Engine.
//
//	failed, err := engine.List(ctx, 20, jobdocs.Failed)
//
// The package changes no state. To cancel or retry a job, use the engine.
package jobdocs
