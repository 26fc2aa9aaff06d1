package schema

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

// SameFields reports whether two sets of fields are the same to Firestore.
func SameFields(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		w, ok := b[name]
		if !ok || !SameValue(v, w) {
			return false
		}
	}
	return true
}

// SameValue reports whether two values that the Firestore library decoded are the same to
// Firestore, at any depth. NaN is the same as NaN, and an integer the same as an equal
// double. Times are stored in microseconds. If a copy never equaled its original, it
// would be written again and again.
func SameValue(a, b any) bool {
	switch a := a.(type) {
	case int64, float64:
		return sameNumber(a, b)
	case time.Time:
		b, ok := b.(time.Time)
		return ok && a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond))
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	case *latlng.LatLng:
		b, ok := b.(*latlng.LatLng)
		return ok && sameFloat(a.GetLatitude(), b.GetLatitude()) && sameFloat(a.GetLongitude(), b.GetLongitude())
	case *firestore.DocumentRef:
		if isNil(a) {
			return isNil(b)
		}
		b, ok := b.(*firestore.DocumentRef)
		return ok && b != nil && a.Path == b.Path
	case firestore.Vector64:
		b, ok := b.(firestore.Vector64)
		return ok && slices.EqualFunc(a, b, sameFloat)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, SameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && SameFields(a, b)
	case nil:
		return isNil(b)
	default: // strings, booleans, and types of other databases, which hold strings
		return reflect.DeepEqual(a, b)
	}
}

// isNil reports whether Firestore stores v as null. The library decodes a reference with
// an empty segment as a nil reference.
func isNil(v any) bool {
	ref, ok := v.(*firestore.DocumentRef)
	return v == nil || ok && ref == nil
}

// sameNumber compares integers and doubles by their exact values.
func sameNumber(a, b any) bool {
	switch a := a.(type) {
	case int64:
		switch b := b.(type) {
		case int64:
			return a == b
		case float64: // 2^63 is the first that does not fit int64
			return b == math.Trunc(b) && b >= math.MinInt64 && b < -math.MinInt64 && a == int64(b)
		}
	case float64:
		if b, ok := b.(float64); ok {
			return sameFloat(a, b)
		}
		_, ok := b.(int64)
		return ok && sameNumber(b, a)
	}
	return false
}

func sameFloat(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
