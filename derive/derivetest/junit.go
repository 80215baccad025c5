package derivetest

import (
	"cmp"
	"encoding/xml"
	"io"
)

// suites is the root element of a JUnit report, as continuous integration reads it.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr,omitempty"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	File    string   `xml:"file,attr"`
	Line    int      `xml:"line,attr,omitempty"`
	Failure *failure `xml:"failure"`
	Error   *failure `xml:"error"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes reports as JUnit's XML: a suite for each file. A file that cannot be used has a case with an error.
func WriteJUnit(w io.Writer, reports []*Report) error {
	var out suites
	for _, r := range reports {
		s := suite{Name: r.File, Tests: len(r.Results), Failures: r.Failed()}
		for i := range r.Results {
			res := &r.Results[i]
			c := testcase{Name: res.Name, Class: r.File, File: res.File, Line: res.Line}
			if len(res.Failures) > 0 {
				c.Failure = &failure{Message: res.Failures[0].summary(), Text: res.Text()}
			}
			s.Cases = append(s.Cases, c)
		}
		if r.Err != nil {
			s.Tests, s.Errors = s.Tests+1, 1
			s.Cases = append(s.Cases, testcase{Name: r.File, Class: r.File, File: r.File, Error: &failure{Message: r.Err.Error()}})
		}
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (f *Failure) summary() string {
	if f.Message != "" || len(f.Values) == 0 {
		return f.Expr + ": " + f.Message
	}
	m := f.Values[0]
	return f.Expr + ": at " + m.At.String() + " " + cmp.Or(m.Instance, "-") + " is " + m.Found + ", expected " + m.Expected
}
