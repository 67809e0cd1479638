package notebook

import (
	"strings"
	"testing"
)

func TestStill(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"<b>x</b> &amp; <i class='a b'>y</i>", "<b>x</b> &amp; <i class=\"a b\">y</i>"},
		{"a < b <3", "a &lt; b &lt;3"},
		{"<script src=https://e.org/x.js>alert('<b>')</script>y", "y"},
		{"<SCRIPT>never closed", ""},
		{"<link rel=stylesheet href=//e.org/a.css>x<meta http-equiv=refresh content=0><base href=x>", "x"},
		{`<img src="https://e.org/a.png" alt="p">`, `<img alt="p">`},
		{`<img src="data:image/png;base64,AA//BB==" onerror=alert(1)>`, `<img src="data:image/png;base64,AA//BB==">`},
		{`<a href="https://e.org">t</a><a href=#here>u</a>`, `<a>t</a><a href="#here">u</a>`},
		{`<a href=" javascript:alert(1)">t</a>`, `<a>t</a>`},
		{`<div style="background:url(https://e.org/a.png);color:red">x</div>`, `<div style="background:none;color:red">x</div>`},
		{"<style>@import 'https://e.org/a.css';td{color:red}</style>", "<style>td{color:red}"},
		{`<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="#a"/><image href="x.png"/></svg>`,
			`<svg><use xlink:href="#a"/><image/></svg>`},
		{"<!-- https://e.org --><!DOCTYPE html>x<iframe src=a></iframe>", "x"},
		{`<img title="a &gt; b"`, ""},
		{`<input disabled value="a&quot;b">`, `<input disabled="" value="a&#34;b">`},
	} {
		got := still(tt.in)
		if strings.TrimSuffix(got, "</style>") != tt.want {
			t.Errorf("%s\ngives %s\nwant  %s", tt.in, got, tt.want)
		}
		if again := still(got); again != got {
			t.Errorf("%s: %s becomes %s", tt.in, got, again)
		}
	}
}

// FuzzStill: no address and no script is left, whatever the text is.
func FuzzStill(f *testing.F) {
	for _, s := range []string{"<b>x</b>", "<script>x</script>", `<a href="//x" onclick=y>`, "<style>url(x)</style>", "<<a b='<'>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := still(s)
		for rest := out; ; {
			i := strings.IndexByte(rest, '<')
			if i < 0 {
				return
			}
			tag, n := readTag(rest[i:])
			if n == 0 {
				t.Fatalf("%q: a loose < in %q", s, out)
			}
			for _, name := range loads {
				if tag.name == name {
					t.Fatalf("%q: %s in %q", s, name, out)
				}
			}
			for _, a := range tag.attrs {
				if name := strings.ToLower(a[0]); strings.HasPrefix(name, "on") || name == "src" &&
					!strings.HasPrefix(a[1], "#") && !strings.HasPrefix(strings.ToLower(a[1]), "data:image/") {
					t.Fatalf("%q: %s in %q", s, name, out)
				}
			}
			rest = rest[i+n:]
		}
	})
}
