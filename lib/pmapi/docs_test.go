package pmapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guide is the page that maps the functions of the original to ours.
const guide = "../../docs/pmapi.md"

// packageDirs are the packages that the guide may name.
var packageDirs = map[string]string{
	"pmapi": ".", "pcp": "../pcp", "pmerr": "../pmerr", "pmcd": "../pmcd", "archive": "../archive", "when": "../when",
	"format": "../format", "pmns": "../pmns", "option": "../option", "config": "../config", "timecontrol": "../../internal/timecontrol", "record": "../record",
	"fetchgroup": "../fetchgroup", "pmda": "../pmda", "mmv": "../mmv", "builtin": "../builtin",
	"derive": "../../derive",
}

// guideFunctions are the functions of the PMAPI chapter of the Programmer's Guide in its order, and
// of the manual pages on derived metrics and fetch groups.
const guideFunctions = `
pmGetChildren pmGetChildrenStatus pmGetPMNSLocation pmLoadNameSpace pmLookupName pmNameAll pmNameID pmTraversePMNS
pmUnloadNameSpace pmLookupDesc pmLookupDescs pmLookupInDomText pmLookupText pmLookupLabels pmMergeLabelSets
pmFreeLabelSets pmGetInDom pmLookupInDom pmNameInDom pmNewContext pmDestroyContext pmDupContext pmUseContext
pmWhichContext pmAddProfile pmDelProfile pmSetMode pmReconnectContext pmGetContextHostName pmNewContextZone pmNewZone
pmUseZone pmWhichZone pmFetch pmFreeResult pmStore pmCreateFetchGroup pmGetFetchGroupContext pmExtendFetchGroup_item
pmExtendFetchGroup_indom pmExtendFetchGroup_event pmExtendFetchGroup_timestamp pmFetchGroup pmDestroyFetchGroup
pmClearFetchGroup pmRecordSetup pmRecordAddHost pmRecordControl pmGetArchiveLabel pmGetArchiveEnd pmGetInDomArchive
pmLookupInDomArchive pmNameInDomArchive pmFetchArchive pmCtime pmLocaltime pmParseTimeWindow pmTimeConnect
pmTimeDisconnect pmTimeGetPort pmTimeRecv pmTimeSendAck pmTimeSendBounds pmTimeSendMode pmTimeSendPosition
pmTimeSendTimezone pmTimeShowDialog pmTimeGetStatePixmap pmGetConfig pmErrStr pmExtractValue pmConvScale pmUnitsStr
pmIDStr pmInDomStr pmTypeStr pmAtomStr pmNumberStr pmPrintValue pmflush pmprintf pmSortInstances pmParseInterval
pmParseMetricSpec pmFreeMetricSpec pmUnpackEventRecords pmFreeEventResult pmEventFlagsStr pmRequestDesc pmReceiveDesc
pmRegisterDerived pmRegisterDerivedMetric pmDerivedErrStr pmLoadDerivedConfig pmAddDerived pmAddDerivedMetric
pmUnregisterDerived pmRequestTraversePMNS pmReceiveTraversePMNS pmRecordHost pmNotifyErr pmSetProcessIdentity pmGetUsername
pmSetProgname pmtimevalSleep pmID_build pmInDom_build pmInDom_domain pmInDom_serial pmGetContextLabels pmGetDomainLabels
pmGetInDomLabels pmGetClusterLabels pmGetItemLabels pmGetInstancesLabels pmdaSetCheckCallBack pmdaSetDoneCallBack
pmdaSetEndContextCallBack pmdaSetResultCallBack pmdaSetFetchCallBack pmdaSetLabelCallBack`

// guideConstants are the constants that the Programmer's Guide names.
const guideConstants = `
PM_CONTEXT_HOST PM_CONTEXT_ARCHIVE PM_CONTEXT_LOCAL PM_NS_DEFAULT PMNS_LEAF_STATUS PMNS_NONLEAF_STATUS PMNS_LOCAL
PMNS_ARCHIVE PMNS_REMOTE PM_ID_NULL PM_INDOM_NULL PM_IN_NULL PM_TYPE_32 PM_TYPE_U32 PM_TYPE_64 PM_TYPE_U64 PM_TYPE_FLOAT
PM_TYPE_DOUBLE PM_TYPE_STRING PM_TYPE_AGGREGATE PM_TYPE_AGGREGATE_STATIC PM_TYPE_EVENT PM_TYPE_HIGHRES_EVENT
PM_TYPE_NOSUPPORT PM_TYPE_UNKNOWN PM_SEM_COUNTER PM_SEM_INSTANT PM_SEM_DISCRETE PM_SPACE_BYTE PM_SPACE_KBYTE
PM_SPACE_MBYTE PM_SPACE_GBYTE PM_SPACE_TBYTE PM_SPACE_PBYTE PM_SPACE_EBYTE PM_SPACE_ZBYTE PM_SPACE_YBYTE PM_TIME_NSEC
PM_TIME_USEC PM_TIME_MSEC PM_TIME_SEC PM_TIME_MIN PM_TIME_HOUR PM_COUNT_ONE PM_VAL_INSITU PM_TEXT_ONELINE PM_TEXT_HELP
PM_LABEL_CONTEXT PM_LABEL_DOMAIN PM_LABEL_INDOM PM_LABEL_CLUSTER PM_LABEL_ITEM PM_LABEL_INSTANCES PM_LABEL_OPTIONAL
PM_MODE_LIVE PM_MODE_INTERP PM_MODE_FORW PM_MODE_BACK PM_XTB_SET PM_REC_ON PM_REC_OFF PM_REC_STATUS PM_REC_SETARG
PM_REC_DETACH PM_LOG_MAXHOSTLEN PM_TZ_MAXLEN PM_LOG_MAGIC PM_LOG_VERS02 PM_LOG_VOL_TI PM_LOG_VOL_META PM_ERR_GENERIC
PM_ERR_CTXBUSY PMDA_CACHE_ADD PMDA_CACHE_ACTIVE MMV_TYPE_U64 MMV_TYPE_ELAPSED MMV_SEM_COUNTER MMV_UNITS MMV_FLAG_NOPREFIX`

// exported returns the exported names of the packages, as "pcp.Units.String".
func exported(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for pkg, dir := range packageDirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range f.Decls {
				declared(decl, func(name string) { names[pkg+"."+name] = true })
			}
		}
	}
	for name := range maps.Clone(names) { // what a type has of one that is embedded: derive.Registry.~settings
		owner, embedded, ok := strings.Cut(name, ".~")
		pkg, _, _ := strings.Cut(owner, ".")
		for member := range maps.Clone(names) {
			if method, has := strings.CutPrefix(member, pkg+"."+embedded+"."); ok && has {
				names[owner+"."+method] = true
			}
		}
	}
	return names
}

// declared calls add for the names that a declaration makes.
func declared(decl ast.Decl, add func(string)) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name.Name)
			return
		}
		recv := d.Recv.List[0].Type
		if star, ok := recv.(*ast.StarExpr); ok {
			recv = star.X
		}
		if generic, ok := recv.(*ast.IndexExpr); ok {
			recv = generic.X
		}
		if id, ok := recv.(*ast.Ident); ok {
			add(id.Name + "." + d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id.Name)
				}
			case *ast.TypeSpec:
				add(s.Name.Name)
				members(s, add)
			}
		}
	}
}

// members calls add for the fields of a struct and the methods of an interface.
func members(s *ast.TypeSpec, add func(string)) {
	var list *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			add(s.Name.Name + "." + id.Name)
		}
		if id, ok := field.Type.(*ast.Ident); ok && field.Names == nil {
			add(s.Name.Name + ".~" + id.Name)
		}
	}
}

var (
	codeText = regexp.MustCompile("`[^`]+`")
	function = regexp.MustCompile(`^ (pm|mmv_|PM|MMV_)`)
	goName   = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)
)

// TestGuideNames makes sure that every Go name in the guide exists.
func TestGuideNames(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	names := exported(t)
	found := 0
	check := func(code string) {
		for _, m := range goName.FindAllStringSubmatch(code, -1) {
			if packageDirs[m[1]] == "" {
				continue // names of the standard library are skipped
			}
			found++
			if !names[m[0]] {
				t.Errorf("there is no %s", m[0])
			}
		}
	}
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 1 {
			check(block)
			continue
		}
		for _, code := range codeText.FindAllString(block, -1) {
			check(code)
		}
	}
	if found < 100 {
		t.Errorf("only %d names found", found)
	}
}

// TestGuideFunctions makes sure that each function and constant of the original has its row, with a name or a
// reason.
func TestGuideFunctions(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !function.MatchString(cells[1]) {
			continue
		}
		ours, note := strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		for name := range strings.SplitSeq(cells[1], ",") { // constants share a row
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			if _, ok := rows[name]; ok {
				t.Errorf("%s has two rows", name)
			}
			rows[name] = note
			switch {
			case ours == "–" && note == "":
				t.Errorf("%s has neither a name nor a reason", name)
			case ours != "–" && !codeText.MatchString(ours):
				t.Errorf("%s: %q is not a name", name, ours)
			}
		}
	}
	for _, name := range strings.Fields(guideFunctions + guideConstants) {
		if _, ok := rows[name]; !ok {
			t.Errorf("%s has no row", name)
		}
	}
	for name, note := range rows {
		if other, ok := strings.CutPrefix(note, "see "); ok {
			other, _, _ = strings.Cut(other, ";")
			if _, ok := rows[other]; !ok {
				t.Errorf("%s refers to %s, which has no row", name, other)
			}
		}
	}
}
