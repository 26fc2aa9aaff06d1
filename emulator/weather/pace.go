package weather

import "time"

// pace is a rate limiter for many keys, by the generic cell rate algorithm (GCRA). It has for each key the time at which all
// its writes would be done if they came evenly.
type pace map[string]time.Time

// maxKeys is the number of keys at which take removes those that are free: 100,000 need about 20 MB.
const maxKeys = 100_000

// wait returns how long the next write of key must wait. each is the time per write; burst writes may come at once.
func (p pace) wait(key string, each time.Duration, burst int, now time.Time) time.Duration {
	free, ok := p[key]
	if !ok || free.Before(now) {
		return 0
	}
	return max(0, free.Sub(now)-time.Duration(max(burst, 1)-1)*each)
}

// take adds n writes of key, with each as the time per write. A negative n removes them.
func (p pace) take(key string, each time.Duration, n int, now time.Time) {
	if len(p) >= maxKeys {
		for k, free := range p {
			if !free.After(now) {
				delete(p, k)
			}
		}
	}
	from := p[key]
	if from.Before(now) {
		from = now
	}
	p[key] = from.Add(time.Duration(n) * each)
}
