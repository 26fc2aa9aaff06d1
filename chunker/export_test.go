package chunker

// SetSchema makes the engine one of a release that knows job documents up to a
// schema. Call it before Register.
func (e *Engine) SetSchema(schema int) { e.schema = schema }
