// Package plan decides what to write about relations: which ones a post should have, the net
// effect of a change log, and how many relations share a transaction, a page or a job.
//
// It sends no requests. Package relations reads the documents to compare, and carries out the plan.
package plan
