// Package jobdocs has the documents of jobs: their fields and states, and what
// operators read, delete and redact. Package chunker creates the jobs and runs them. Its
// Engine embeds a [Store], so use that.
//
//	failed, err := engine.List(ctx, 20, jobdocs.Failed)
//
// The package changes no state. To cancel or retry a job, use the engine.
package jobdocs
