// Package sample verifies some accounts in each call, within a budget of reads, and stores where it stopped. A round
// over all accounts finds the work of lost events. The package can repair its findings.
//
//	_settings/sample   after      the last account that was checked; "" at the end of a round
//	                   round      the number of the round, which began at began
//	                   accounts   how many there were then
//	                   checked    how many of them the round has checked, with reads
//
// An account is a document of users: a person or a group. Packages verify and entries check it as an
// author, as a follower and, with timelines, as a reader.
//
// Events and jobs are under way while it runs. So a document is a finding only if it is wrong in two checks, a pause
// apart, and if no unfinished job may mend it.
//
// It does not find remains of an account without a document in users, such as after a purge that lost an event. Package
// verify finds these remains, in the whole database. No function links the package.
package sample
