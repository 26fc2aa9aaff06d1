package chunker

import "example.com/relationindex/chunker/jobs"

// SetSchema makes the engine one of a release that knows job documents up to a
// schema.
func (e *Engine) SetSchema(schema int) {
	e.schema, e.Store = schema, jobs.NewStore(e.client, e.opts.Collection, schema)
}
