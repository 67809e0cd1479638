package notebook

import (
	"maps"
	"time"
)

// stamp writes when the cell began and ended, by the names that front ends
// give to the messages of a cell. Without the wish for it stamps of an earlier
// run are taken out: they would tell of outputs that are gone.
func (c *Cell) stamp(wanted bool, start time.Time) {
	meta, _ := c.raw["metadata"].(map[string]any)
	if _, there := meta["execution"]; !there && !wanted {
		return
	}
	meta = maps.Clone(meta)
	delete(meta, "execution")
	if wanted {
		begun, ended := stampOf(start), stampOf(time.Now())
		meta["execution"] = map[string]any{"iopub.status.busy": begun, "iopub.execute_input": begun,
			"iopub.status.idle": ended, "shell.execute_reply": ended}
	}
	c.raw["metadata"] = meta
}

func stampOf(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
