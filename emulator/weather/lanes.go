package weather

import "time"

// lanes say for each key from when on it is free, were everything done at an even pace.
type lanes map[string]time.Time

// maxLanes is how many keys are kept before those that are free are forgotten: 100,000 take some 20 MB.
const maxLanes = 100_000

// wait is how long the next of a key has to wait, if each takes a time of its own and burst of them may come at once.
func (l lanes) wait(key string, each time.Duration, burst int, now time.Time) time.Duration {
	free, ok := l[key]
	if !ok || free.Before(now) {
		return 0
	}
	return max(0, free.Sub(now)-time.Duration(max(burst, 1)-1)*each)
}

// take is n more of a key, each of which takes a time; n below 0: so many fewer.
func (l lanes) take(key string, each time.Duration, n int, now time.Time) {
	if len(l) >= maxLanes {
		for k, free := range l {
			if !free.After(now) {
				delete(l, k)
			}
		}
	}
	from := l[key]
	if from.Before(now) {
		from = now
	}
	l[key] = from.Add(time.Duration(n) * each)
}
