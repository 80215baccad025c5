package lsp

import "encoding/json"

// The parts of the protocol, version 3.17, that are used.
type (
	// A position counts lines, and in them units of UTF-16, from 0.
	position struct {
		Line      uint32 `json:"line"`
		Character uint32 `json:"character"`
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Code     string `json:"code,omitempty"`
		Source   string `json:"source"`
		Message  string `json:"message"`
	}
	published struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	completionItem struct {
		Label    string   `json:"label"`
		Kind     int      `json:"kind"`
		Detail   string   `json:"detail,omitempty"`
		TextEdit textEdit `json:"textEdit"`
	}
	completionList struct {
		Incomplete bool             `json:"isIncomplete"`
		Items      []completionItem `json:"items"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
		Range    span   `json:"range"`
	}
	symbol struct {
		Name   string `json:"name"`
		Detail string `json:"detail"`
		Kind   int    `json:"kind"`
		Range  span   `json:"range"`
		Select span   `json:"selectionRange"`
	}
	codeAction struct {
		Title       string        `json:"title"`
		Kind        string        `json:"kind"`
		Diagnostics []diagnostic  `json:"diagnostics"`
		Edit        workspaceEdit `json:"edit"`
	}
	messageParams struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

// Numbers of the protocol.
const (
	severityError   = 1
	severityWarning = 2

	messageWarning = 2

	itemFunction = 3
	itemVariable = 6
	itemValue    = 12
	itemKeyword  = 14

	symbolVariable = 13
)

// params are the parameters of all methods. Each has some of them.
type params struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	Position position `json:"position"`
	Range    span     `json:"range"`
	NewName  string   `json:"newName"`
	Context  struct {
		Declaration bool `json:"includeDeclaration"`
	} `json:"context"`
	Changes []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
	ID        json.RawMessage `json:"id"` // of the request to cancel
	Options   json.RawMessage `json:"initializationOptions"`
	ProcessID int             `json:"processId"`
}

var capabilities = map[string]any{
	"positionEncoding":           "utf-16",
	"textDocumentSync":           map[string]any{"openClose": true, "change": 1},
	"completionProvider":         map[string]any{"triggerCharacters": []string{".", "[", "/", "\"", "=", "("}},
	"hoverProvider":              true,
	"definitionProvider":         true,
	"referencesProvider":         true,
	"renameProvider":             map[string]any{"prepareProvider": true},
	"documentFormattingProvider": true,
	"documentSymbolProvider":     true,
	"codeActionProvider":         map[string]any{"codeActionKinds": []string{"quickfix"}},
}
