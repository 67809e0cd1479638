// Package plots draws the pictures of transport losses on point clouds: right,
// readable at once, and the same bytes for the same input.
//
// Each picture is a function that takes numbers and returns a [Figure]:
// [Scaling] for measured curves with their exponents, [Line] for values over
// one parameter, [Landscape] over two, [Convergence] over iterations,
// [Matching] for a plan between two clouds, [PlanMap] for a plan as a matrix. A
// Figure shows itself in a notebook and writes itself to a file.
//
// Every picture has a title, both axes with their unit ("no unit" where there
// is none), the numbers that a reader needs, a legend that hides no point and,
// in the caption, whatever was left out. Input that cannot be drawn is an
// [Error] that names the curve, the point and the value.
package plots
