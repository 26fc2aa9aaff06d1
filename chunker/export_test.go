package chunker

import "example.com/relationindex/chunker/jobdocs"

// SetSchema makes the engine one of a release that knows job documents up to a
// schema.
func (e *Engine) SetSchema(schema int) {
	e.schema, e.Store = schema, jobdocs.NewStore(e.client, e.opts.Collection, schema)
}
