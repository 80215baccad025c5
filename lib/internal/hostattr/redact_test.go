package hostattr

import (
	"testing"

	_ "pmtools/test/env"
)

func TestRedact(t *testing.T) {
	tests := []struct{ text, want string }{
		{"host", "host"},
		{"pcps://h?user=ann&pass=SECRET", "pcps://h?user=ann&pass=xxxxx"},
		{"h?password=SECRET&container=c", "h?password=xxxxx&container=c"},
		{"h?pass=SEC/RET=SECRET", "h?pass=xxxxx"},
		{":source host h?pass=SECRET and SECRET", ":source host h?pass=xxxxx"},
		{"h?username=u&password=a SECRET", "h?username=u&password=xxxxx"},
		{"h?password=a\"SECRET'\nSECRET\x00SECRET&username=u", "h?password=xxxxx&username=u"},
		{"h?password=a&SECRET&username=u", "h?password=xxxxx&username=u"},
		{"h?password=a&users=SECRET&compress", "h?password=xxxxx&compress"},
		{"h?password=a%26SECRET", "h?password=xxxxx"},
		{"h?password=a?password=SECRET", "h?password=xxxxx"},
		{"h?a?password=\u00e4SECRET", "h?a?password=xxxxx"},
		{"h?username=u%26password=SECRET", "h?username=u%26password=xxxxx"},
		{"h?username=u=password=SECRET", "h?username=u=password=xxxxx"},
		{"h?username=u& PASSWORD=SECRET", "h?username=u& PASSWORD=xxxxx"},
		{"h/?password=SECRET", "h/?password=xxxxx"},
		{"[h?password=SECRET", "[h?password=xxxxx"},
		{"password=SECRET", "password=xxxxx"},
		{"h?pass=SECRET&pass=SECRET@p?pass=SECRET", "h?pass=xxxxx&pass=xxxxx"},
		{"h?pass=SECRET&", "h?pass=xxxxx"},
		{"h?pass=", "h?pass=xxxxx"},
		{"h?compass=north", "h?compass=north"},
		{"a.pass=b", "a.pass=b"},
		{"passwords=b", "passwords=b"},
	}
	for _, tt := range tests {
		if got := Redact(tt.text); got != tt.want {
			t.Errorf("Redact(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}
