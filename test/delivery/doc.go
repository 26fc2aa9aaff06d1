// Package delivery runs the conformance suite of deliveries, testkit/deliverytest, on the deployed
// deliveries. The suite's own tests run it on a trivial one.
package delivery
