package cloud_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gondola-lab/gondola/cloud"
)

func ExampleFromRows() {
	c := cloud.FromRows([][]float32{{0, 0}, {3, 4}})
	fmt.Println(c)
	fmt.Println(c.Weight(1), c.Mass())
	// Output:
	// 2 points in 2 dimensions, box [0 0] to [3 4]
	// 0.5 1
}

func ExampleFrom64() {
	c, err := cloud.From64([]float64{0, 0, 0, 1, 1, 1}, 3)
	fmt.Println(c.N, c.D, err)
	_, err = cloud.From64([]float64{0, 1e300}, 1) // float32 ends at 3.4e38
	fmt.Println(err)
	// Output:
	// 2 3 <nil>
	// cloud.From64: not a finite number: coordinate 0 of point 1 is 1e+300
}

func ExampleCloud_Validate() {
	c := cloud.FromRows([][]float32{{1, 2, 3}, {4, float32(math.NaN()), 6}})
	err := c.Validate()
	fmt.Println(err)
	var h interface{ Hint() string }
	fmt.Println(errors.Is(err, cloud.ErrNotFinite), errors.As(err, &h) && h.Hint() != "")
	// Output:
	// cloud.Validate: not a finite number: coordinate 1 of point 1 is NaN
	// true true
}

// Two unit squares apart by 2: the box around both is 3×1.
func ExampleDiameter() {
	x := cloud.FromRows([][]float32{{0, 0}, {1, 1}})
	y, err := x.Shift(2, 0)
	fmt.Printf("%.4f %v\n", cloud.Diameter(x, y), err) // √(9+1)
	// Output: 3.1623 <nil>
}

func ExampleCloud_Normalize() {
	x := cloud.FromRows([][]float32{{10, 0}, {14, 0}})
	y, t := x.Normalize()
	fmt.Println(y.X, t.Center, t.Scale)
	back, err := t.Invert(y)
	fmt.Println(back.X, err)
	// Output:
	// [-1 0 1 0] [12 0] 0.5
	// [10 0 14 0] <nil>
}

func ExampleCloud_Rotate() {
	x := cloud.FromRows([][]float32{{2, 0, 0}})
	y, err := x.Rotate(0, 1, math.Pi/2) // about the z axis
	fmt.Printf("%.1f %v\n", y.X, err)
	_, err = x.Rotate(0, 3, 1)
	fmt.Println(err)
	// Output:
	// [0.0 2.0 0.0] <nil>
	// cloud.Rotate: shapes do not match: no plane of coordinates 0 and 3 in 3 dimensions
}

func ExampleCloud_Dedup() {
	x := cloud.FromRows([][]float32{{1}, {2}, {1}, {1}})
	y, multiplicity, err := x.Dedup()
	fmt.Println(y.X, multiplicity, y.W, err)
	// Output: [1 2] [3 1] [0.75 0.25] <nil>
}

func ExampleCloud_Jitter() {
	rnd := rand.New(rand.NewPCG(1, 8))
	x := cloud.Grid(2, 0)
	y := x.Jitter(rnd, 0.01)
	fmt.Println(y.N, x.Equal(y), cloud.Diameter(x, y) < 1.8)
	// Output: 8 false true
}

func ExampleConcat() {
	x, y := cloud.Grid(2, 0), cloud.Fibonacci(5)
	both, err := cloud.Concat(x, y)
	fmt.Println(both.N, err)
	last, err := both.Sub([]int{12, 0})
	fmt.Println(last.N, err)
	// Output:
	// 13 <nil>
	// 2 <nil>
}

func ExampleJoin() {
	b, err := cloud.Join(cloud.Grid(2, 0), cloud.Fibonacci(5))
	fmt.Println(b.Len(), b.Off, b.At(1).N, err)
	_, err = cloud.Join(cloud.Grid(2, 0), cloud.FromRows([][]float32{{1}}))
	fmt.Println(err)
	// Output:
	// 2 [0 8 13] 5 <nil>
	// cloud.Join: shapes do not match: cloud 0 has 3 dimensions, cloud 1 has 1
}

// A tensor of 2×3×1 in which the second cloud has one point and two of padding.
func ExampleBatchOf() {
	b, err := cloud.BatchOf([]float32{1, 2, 3, 7, 0, 0}, 2, 3, 1, []int{3, 1})
	fmt.Println(b.At(0).X, b.At(1).X, err)
	// Output: [1 2 3] [7] <nil>
}

func ExampleFibonacci() {
	c := cloud.Fibonacci(4)
	for i := range c.N {
		fmt.Printf("%.3f\n", c.X[3*i:3*i+3])
	}
	// Output:
	// [0.661 0.000 0.750]
	// [-0.714 0.654 0.250]
	// [0.085 -0.965 -0.250]
	// [0.402 0.525 -0.750]
}

func ExampleCap() {
	lo, _ := cloud.Cap(1000).Bounds()
	fmt.Printf("all above %.1f\n", lo[2])
	// Output: all above 0.8
}

func ExampleTurned() {
	x, y := cloud.Fibonacci(256), cloud.Turned(256)
	fmt.Println(x.N == y.N, cloud.Diameter(x, y) < 3.5)
	// Output: true true
}

// No point moves by more than s·√3.
func ExampleNear() {
	x := cloud.Fibonacci(256)
	y := cloud.Near(x, 0.02)
	fmt.Println(y.N, math.Abs(float64(y.X[300]-x.X[300])) <= 0.02)
	// Output: 256 true
}

func ExampleNGon() {
	fmt.Printf("%.1f\n", cloud.NGon(4, math.Pi/4).X[:6])
	// Output: [0.7 0.7 0.0 -0.7 0.7 0.0]
}

func ExampleGrid() {
	fmt.Println(cloud.Grid(2, 0.5).X[:6])
	// Output: [0.5 0.5 0.5 0.5 0.5 1.5]
}

// A source that is handed in makes the same cloud again.
func ExampleCube() {
	a := cloud.Cube(rand.New(rand.NewPCG(1, 100)), 100)
	fmt.Println(a.N, a.Equal(cloud.Cube(nil, 100)))
	// Output: 100 true
}

func ExampleGauss() {
	c := cloud.Gauss(rand.New(rand.NewPCG(7, 7)), 1000)
	centred := c.Center()
	fmt.Println(c.N, c.D, math.Abs(float64(c.X[0]-centred.X[0])) < 0.2)
	// Output: 1000 3 true
}

func ExampleSphere() {
	c := cloud.Sphere(nil, 10)
	fmt.Printf("%.5f\n", math.Sqrt(float64(c.X[0]*c.X[0]+c.X[1]*c.X[1]+c.X[2]*c.X[2])))
	// Output: 1.00000
}

func ExampleCloud_Stride() {
	c, err := cloud.NGon(12, 0).Stride(4)
	fmt.Println(c.N, err)
	// Output: 3 <nil>
}

func ExampleCloud_Voxel() {
	c := cloud.FromRows([][]float32{{0.1, 0.1}, {0.3, 0.5}, {1.5, 0.5}})
	v, count, err := c.Voxel(1)
	fmt.Println(v.X, v.W[1], count, err) // the first two share a cube
	// Output: [0.2 0.3 1.5 0.5] 0.3333333333333333 [2 1] <nil>
}

func ExampleCloud_FarthestPoints() {
	c := cloud.FromRows([][]float32{{0}, {1}, {2}, {3}, {10}})
	p, index, err := c.FarthestPoints(3)
	fmt.Println(p.X, index, err) // 0, then the far end, then the point that is 3 from both
	// Output: [0 10 3] [0 4 3] <nil>
}

func ExampleBall() {
	lo, hi := cloud.Ball(nil, 1000).Bounds()
	fmt.Println(lo[2] > -1 && hi[2] < 1)
	// Output: true
}

func ExampleTorus() {
	_, hi := cloud.Torus(nil, 1000, 0.25).Bounds()
	fmt.Println(hi[2] <= 0.25)
	// Output: true
}

func ExampleSwissRoll() {
	fmt.Println(cloud.SwissRoll(nil, 5).N)
	// Output: 5
}

func ExampleTwoMoons() {
	fmt.Printf("%.1f\n", cloud.TwoMoons(nil, 4, 0).X) // the ends of two half circles
	// Output: [1.0 0.0 -1.0 0.0 0.0 0.5 2.0 0.5]
}

func ExampleHelix() {
	fmt.Printf("%.1f\n", cloud.Helix(3, 1).X)
	// Output: [1.0 0.0 -1.0 -1.0 0.0 0.0 1.0 -0.0 1.0]
}

func ExampleLidarRings() {
	fmt.Printf("%.0f\n", cloud.LidarRings(2, 0).X) // the first two beams
	// Output: [100 0 -2 50 0 -2]
}

func ExampleTwoClusters() {
	far, _ := cloud.TwoClusters(nil, 100, 0.9).Sub([]int{89, 90})
	fmt.Println(far.X[0] < 1, far.X[3] > 4)
	// Output: true true
}

func ExampleShell() {
	fmt.Println(cloud.Shell(nil, 3).N)
	// Output: 3
}

// A chair and a table are two shapes that no nearest neighbour matches.
func ExampleChair() {
	_, hi := cloud.Chair(nil, 2000).Bounds()
	fmt.Printf("%.2f\n", hi)
	// Output: [0.25 0.25 1.00]
}

func ExampleTable() {
	_, hi := cloud.Table(nil, 2000).Bounds()
	fmt.Printf("%.2f\n", hi)
	// Output: [0.60 0.35 0.75]
}
