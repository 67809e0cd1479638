package cloud_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gondola-lab/gondola/cloud"
)

// folder is a place for the files of the examples.
func folder() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "cloud")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "sphere.ply")
	if err := cloud.Save(path, cloud.Fibonacci(1000)); err != nil {
		fmt.Println(err)
		return
	}
	c, err := cloud.Open(path)
	fmt.Println(c.N, c.Equal(cloud.Fibonacci(1000)), err)
	// Output: 1000 true <nil>
}

func ExampleOpenWith() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "scan.bin") // float32 numbers, four a point
	if err := os.WriteFile(path, make([]byte, 2*16), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	_, err := cloud.Open(path)
	fmt.Println(errors.Is(err, cloud.ErrFormat))
	c, err := cloud.OpenWith(path, cloud.Options{Stride: 4})
	fmt.Println(c, err)
	// Output:
	// true
	// 2 points in 3 dimensions, box [0 0 0] to [0 0 0], attributes [intensity] <nil>
}

// An error says the line, and its hint what to do.
func ExampleRead() {
	c, err := cloud.Read(strings.NewReader("x,y,z\n1,2,3\n4,5,6\n"), cloud.Options{})
	fmt.Println(c.N, err)
	_, err = cloud.Read(strings.NewReader("1 2 3\n4 nan 6\n"), cloud.Options{Name: "scan.xyz"})
	fmt.Println(err)
	var e *cloud.Error
	fmt.Println(errors.As(err, &e), e.Line, e.Hint())
	// Output:
	// 2 <nil>
	// cloud.Read: scan.xyz: xyz line 2: not a finite number: coordinate 1 of point 1 is NaN
	// true 2 set DropNaN to leave such points out
}

func ExampleWrite() {
	var b bytes.Buffer
	err := cloud.Write(&b, cloud.NGon(4, 0).Center(), cloud.Options{Format: "ply", Encoding: "ascii"})
	fmt.Println(strings.Count(b.String(), "\n"), err) // seven lines of header, four points
	err = cloud.Write(&b, cloud.FromRows([][]float32{{1, 2}}), cloud.Options{Format: "obj"})
	fmt.Println(err)
	// Output:
	// 11 <nil>
	// cloud.Write: obj: format is not understood: there is no place for 2 dimensions
}

func ExampleSave() {
	dir, remove := folder()
	defer remove()
	err := cloud.Save(filepath.Join(dir, "grid.xyz"), cloud.Grid(1, 0.25))
	text, _ := os.ReadFile(filepath.Join(dir, "grid.xyz"))
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// 0.25 0.25 0.25
	// <nil>
}

func ExampleSaveWith() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "grid.pcd")
	err := cloud.SaveWith(path, cloud.Grid(1, 2), cloud.Options{Encoding: "ascii"})
	text, _ := os.ReadFile(path)
	fmt.Println(strings.HasSuffix(string(text), "DATA ascii\n2 2 2\n"), err)
	// Output: true <nil>
}

func ExampleSaveArrays() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "grad.npz")
	err := cloud.SaveArrays(path,
		cloud.Array{Name: "grad_x", Shape: []int{2, 3}, F32: make([]float32, 6)},
		cloud.Array{Name: "value", Shape: []int{1}, F64: []float64{0.5}})
	fmt.Println(err)
	c, err := cloud.OpenWith(path, cloud.Options{Array: "grad_x"})
	fmt.Println(c.N, c.D, err)
	// Output:
	// <nil>
	// 2 3 <nil>
}

func ExampleReadBatch() {
	var b bytes.Buffer
	if err := cloud.Write(&b, cloud.Grid(2, 0), cloud.Options{Format: "npy"}); err != nil {
		fmt.Println(err)
		return
	}
	batch, err := cloud.ReadBatch(&b, cloud.Options{}) // 8×3: a batch of one
	fmt.Println(batch.Len(), batch.At(0).N, err)
	// Output: 1 8 <nil>
}

func ExampleOpenBatch() {
	_, err := cloud.OpenBatch("missing.npy", cloud.Options{})
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}
