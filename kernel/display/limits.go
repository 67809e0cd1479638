package display

// Limits of what one value shows. Everything left out is said in the text.
const (
	maxRows     = 50        // rows of a table
	maxColumns  = 20        // columns of a table, the key or index not counted
	maxCell     = 100       // runes of one cell of a table
	maxMatrix   = 8         // rows and columns of a matrix shown in full
	maxElements = 10_000    // values that text shows in full, counted through all levels
	headShown   = 1_000     // of a larger value, so many of each slice, array or map
	maxText     = 256 << 10 // bytes of text/plain
	maxDepth    = 100       // nesting that text follows; a value that holds itself has no end
	maxPixels   = 1 << 26   // of an image that becomes a PNG
	maxJSONDeep = 1_000     // nesting of a JSON value, as encoding/json has it
)
