// Package accounts does the work on one account in all collections: it purges a deleted account, copies fields of
// accounts to the posts that name them, and finds the documents that name an account.
//
// Package followers keeps who follows whom. Deliveries bring posts to followers.
package accounts
