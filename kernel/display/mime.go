package display

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // sizes of pictures that a value brings
	_ "image/jpeg"
	"image/png"
	"strconv"
	"strings"
)

// put stores one format in the form that the protocol wants: text as valid
// UTF-8, JSON as a value without NaN, other bytes as base64 in one line.
func (b *Bundle) put(mime string, data any, notes *[]string) {
	mime = valid(mime)
	if mime == typeJSON || strings.HasSuffix(mime, "+json") {
		v, n, err := jsonValue(data)
		if err != nil {
			*notes = append(*notes, mime+" is not JSON: "+err.Error())
			return
		}
		noteNulls(n, notes)
		b.Data[mime] = v
		return
	}
	isText := strings.HasPrefix(mime, "text/") || mime == typeSVG || mime == "application/javascript"
	switch d := data.(type) {
	case string:
		if !isText {
			d = base64Line(d)
		}
		b.Data[mime] = valid(d)
	case []byte:
		if isText {
			b.Data[mime] = valid(string(d))
		} else {
			b.Data[mime] = base64.StdEncoding.EncodeToString(d)
		}
	default:
		*notes = append(*notes, fmt.Sprintf("%s is a %T, not text or bytes", mime, data))
	}
	if mime == typeText {
		if s, ok := b.Data[mime].(string); ok {
			b.Data[mime] = bounded(s)
		}
	}
}

// base64Line takes base64 text with line breaks or a "data:" prefix, or bytes
// in a string, and returns base64 text in one line.
func base64Line(s string) string {
	if _, rest, ok := strings.Cut(s, ";base64,"); ok && strings.HasPrefix(s, "data:") {
		s = rest
	}
	line := strings.Join(strings.Fields(s), "")
	if _, err := base64.StdEncoding.DecodeString(line); err == nil {
		return line
	}
	return base64.StdEncoding.EncodeToString([]byte(s))
}

// sizes adds the width and the height of every image to the metadata, unless
// the value has said them itself: a picture of double density has.
func (b *Bundle) sizes() {
	for _, mime := range sortedKeys(b.Data) {
		s, ok := b.Data[mime].(string)
		if !ok || !strings.HasPrefix(mime, "image/") {
			continue
		}
		w, h, ok := 0, 0, false
		if mime == typeSVG {
			w, h, ok = svgSize(s)
		} else if raw, err := base64.StdEncoding.DecodeString(s); err == nil {
			c, _, err := image.DecodeConfig(bytes.NewReader(raw))
			w, h, ok = c.Width, c.Height, err == nil
		}
		if !ok {
			continue
		}
		m, isMap := b.Meta[mime].(map[string]any)
		if !isMap {
			m = map[string]any{}
		}
		for k, v := range map[string]int{"width": w, "height": h} {
			if _, said := m[k]; !said {
				m[k] = v
			}
		}
		b.Meta[mime] = m
	}
}

// svgSize reads width and height of the root, or its viewBox, in pixels.
func svgSize(s string) (w, h int, ok bool) {
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = false
	for {
		t, err := d.Token()
		if err != nil {
			return 0, 0, false
		}
		e, isStart := t.(xml.StartElement)
		if !isStart {
			continue
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "width":
				w = pixels(a.Value)
			case "height":
				h = pixels(a.Value)
			case "viewBox":
				if f := strings.Fields(strings.ReplaceAll(a.Value, ",", " ")); len(f) == 4 && w == 0 && h == 0 {
					w, h = pixels(f[2]), pixels(f[3])
				}
			}
		}
		return w, h, e.Name.Local == "svg" && w > 0 && h > 0
	}
}

// pixels turns a length of SVG into whole pixels; 0 when it has no fixed size.
func pixels(s string) int {
	for unit, f := range map[string]float64{"px": 1, "pt": 4. / 3, "in": 96, "mm": 96 / 25.4, "cm": 96 / 2.54, "": 1} {
		head, has := strings.CutSuffix(s, unit)
		if v, err := strconv.ParseFloat(head, 64); has && err == nil && v > 0 && v < 1e6 {
			return int(v*f + .5)
		}
	}
	return 0
}

// encodeImage returns the PNG of m and a line that describes m.
func encodeImage(m image.Image) (data []byte, text string, err error) {
	r := m.Bounds()
	w, h := r.Dx(), r.Dy()
	text = fmt.Sprintf("image, %s × %s pixels (%T)", count(w), count(h), m)
	if w <= 0 || h <= 0 {
		return nil, text, errors.New("an image without pixels has no PNG")
	}
	if w > maxPixels/h {
		return nil, text, fmt.Errorf("more than %s pixels: shown as text", count(maxPixels))
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		return nil, text, err
	}
	return out.Bytes(), text, nil
}

// asJSONText returns data that is already JSON text, as MIMEBundle may give it.
func asJSONText(data any) ([]byte, bool) {
	switch d := data.(type) {
	case json.RawMessage:
		return d, true
	case []byte:
		return d, json.Valid(d)
	case string:
		t := strings.TrimSpace(d)
		return []byte(t), (strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[")) && json.Valid([]byte(t))
	}
	return nil, false
}
