// Package apmlgpu computes transport losses between point clouds, each with its
// gradient; no GPU is needed: the CPU is the default, and the name is
// historical.
//
// # The problem
//
// Two clouds x (N points) and y (M points) of D coordinates; how far apart are
// they, and where should x move to come nearer? [APML] spreads every point over
// its near partners and balances the plan; [Chamfer] and [ChamferL1] take the
// nearest partner only. [EMD] finds the plan of least
// cost, exactly, and proves it. Chamfer is the fastest and lets points clump; APML keeps
// the columns of its plan, so every target gets its mass. Of the family of
// Chamfer, [HyperCD] and [InfoCD] weigh far points less or evenly, [DCD] counts
// how many points crowd upon one, [Hausdorff] looks at the worst. [Sliced] is
// optimal transport along lines: fast, and blind to what no line shows.
// [Sinkhorn] is transport with entropy: a divergence that is zero for equal clouds
// alone, smooth in every point, for weights and masses that differ too.
// [FScore], [Density] and [Metrics] judge and have no gradient. Each has a form
// for ragged batches, as [APMLBatch].
//
// # Conventions
//
// Distances are Euclidean, float64 from float32 coordinates, differences first.
// APML's value is a sum over points with a plan of mass M; its gradient holds
// the plan fixed. Sinkhorn's is in units of its cost, |x−y|² if nothing else is
// said, with weights of sum 1. Chamfer's values are means. The lowest index wins a tie
// wherever an index is used. Weights nil mean uniform; a point of weight zero
// is as if it were not there.
//
// # Promises
//
// A result says how it was got and how good it is: see [Stats]. The same input
// gives the same bits for any number of threads. Inputs are never written to,
// results share no memory with them. Bad input is an [Error], never a NaN. Every
// call ends within some 50 ms when its Context, or the notebook's cell, is
// stopped.
package apmlgpu
