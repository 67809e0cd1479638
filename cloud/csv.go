package cloud

import (
	"bufio"
	"fmt"
	"strings"
)

// writeCSV writes a line of names and then numbers with commas between them. It
// is read by readXYZ, which takes any separator.
func writeCSV(w *bufio.Writer, c Cloud, _ Options) error {
	names, err := c.columns("cloud.Write")
	if err != nil {
		return err
	}
	fmt.Fprintln(w, strings.Join(names, ","))
	return c.writeText(w, ',')
}
