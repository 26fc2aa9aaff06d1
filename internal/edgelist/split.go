package edgelist

import "bytes"

// blanks are the bytes that separate the values of a line without commas, and
// that are dropped around a value in a line with commas.
const blanks = " \t"

// split appends the values of a line to fields. The values are parts of line.
func split(fields [][]byte, line []byte) ([][]byte, error) {
	if bytes.IndexByte(line, ',') < 0 {
		return splitBlanks(fields, line), nil
	}
	return splitCommas(fields, line)
}

// splitBlanks appends what stands between runs of spaces and tabs. Other white
// space of Unicode is part of a value: bytes.Fields would split there too.
func splitBlanks(fields [][]byte, line []byte) [][]byte {
	start := -1 // of the value that we are in; -1 in a run of blanks
	for i, b := range line {
		blank := b == ' ' || b == '\t'
		switch {
		case !blank && start < 0:
			start = i
		case blank && start >= 0:
			fields = append(fields, line[start:i])
			start = -1
		}
	}
	if start >= 0 {
		fields = append(fields, line[start:])
	}
	return fields
}

// splitCommas appends what stands between commas, without the blanks and the
// quotes around it. "a," has two values, the second of them empty.
//
// encoding/csv is not used: it refuses a blank after a closing quote, cannot
// tell a quoted outer blank from one to drop, and wants a reader for each line.
func splitCommas(fields [][]byte, line []byte) ([][]byte, error) {
	for {
		value, rest, err := cutValue(bytes.TrimLeft(line, blanks))
		if err != nil {
			return fields, err
		}
		fields = append(fields, value)
		if len(rest) == 0 {
			return fields, nil
		}
		line = rest[1:] // rest starts with the comma
	}
}

// cutValue returns the value that text starts with, and what follows it: nothing,
// or the comma and the rest.
func cutValue(text []byte) (value, rest []byte, err error) {
	if bytes.HasPrefix(text, []byte{'"'}) {
		return cutQuoted(text[1:])
	}
	end := bytes.IndexByte(text, ',')
	if end < 0 {
		end = len(text)
	}
	value, rest = bytes.TrimRight(text[:end], blanks), text[end:]
	if bytes.IndexByte(value, '"') >= 0 {
		return nil, nil, errBareQuote
	}
	return value, rest, nil
}

// cutQuoted is cutValue for a value in quotes, of which the first is cut off.
func cutQuoted(text []byte) (value, rest []byte, err error) {
	doubled := false
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if bytes.HasPrefix(text[i+1:], []byte{'"'}) { // "" stands for one quote
			doubled = true
			i++
			continue
		}
		value, rest = text[:i], bytes.TrimLeft(text[i+1:], blanks)
		if len(rest) > 0 && rest[0] != ',' {
			return nil, nil, errAfterQuote
		}
		if doubled {
			value = bytes.ReplaceAll(value, []byte(`""`), []byte(`"`))
		}
		return value, rest, nil
	}
	return nil, nil, errOpenQuote
}
