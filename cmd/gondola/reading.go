package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/cloud"
)

// readingFlags makes the flags that say how the files of clouds are read; they
// write the options that are returned.
func readingFlags(set *flagSet) *cloud.Options {
	read := new(cloud.Options)
	set.IntVar(&read.Stride, "stride", 0, "float32 numbers a point in raw files: 3, or 4 for KITTI")
	set.StringVar(&read.Format, "format", "", "`FORMAT` of both files (default: by their content, then by their suffix)")
	set.BoolVar(&read.DropNaN, "drop-nan", false, "leave points out that hold NaN, with a note, instead of an error")
	set.StringVar(&read.Array, "array", "", "`NAME` of the array of the points in NPZ files")
	set.IntVar(&read.Limits.MaxPoints, "max-points", 0, "points that a file may hold (default 100 million)")
	set.Func("columns", "`NAMES` of the coordinate columns of text files, or their numbers from 1, with commas between; "+
		"of all columns of raw files", func(s string) error {
		read.Columns = strings.Split(s, ",")
		return nil
	})
	set.Func("origin", "`X,Y,Z` to subtract from the coordinates of both files before they become float32",
		func(s string) error {
			read.Origin = nil
			for word := range strings.SplitSeq(s, ",") {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil {
					return errors.New("not numbers with commas between")
				}
				read.Origin = append(read.Origin, v)
			}
			return nil
		})
	return read
}
