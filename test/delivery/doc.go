// Package delivery runs the conformance suite of deliveries, testkit/deliverytest, on the deployed
// deliveries. It also runs the suite on a trivial delivery, and breaks that to see the suite fail.
package delivery
