package diagnose

import "pmtools/lib/near"

// DidYouMean returns the note that proposes the names most like an unknown one, or nothing.
func DidYouMean(unknown string, known []string) []string {
	if like := near.Names(unknown, known); len(like) > 0 {
		return []string{"did you mean " + OrList(like) + "?"}
	}
	return nil
}
