package dev

import (
	"fmt"
	"testing"

	"example.com/relationindex/local/site"
)

func TestSignInOffersReadersWithMostFollows(t *testing.T) {
	var signIns []site.SignIn
	following := map[string]int{}
	for i := range 20 {
		name := fmt.Sprintf("u%d", i)
		signIns = append(signIns, site.SignIn{Name: name})
		following[name] = i / 2
	}
	got := mostToSee(signIns, following)
	if len(got) != maxOffered || got[0].Name != "u18" || got[1].Name != "u19" || got[2].Name != "u16" {
		t.Errorf("the sign-in page offers %v", got)
	}
	if got := mostToSee(nil, nil); len(got) != 0 {
		t.Errorf("without accounts it offers %v", got)
	}
}
