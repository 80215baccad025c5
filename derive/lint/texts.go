package lint

import "pmtools/derive/diagnose"

// Read reads files, and returns their texts too.
func Read(read func(name string) ([]byte, error), names []string) (files []File, texts [][]byte, err error) {
	for _, name := range names {
		text, err := read(name)
		if err != nil {
			return nil, nil, diagnose.From(err)
		}
		files, texts = append(files, File{Name: name, Text: text}), append(texts, text)
	}
	return files, texts, nil
}
