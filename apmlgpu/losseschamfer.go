package apmlgpu

// withWays are the defaults of the losses of two ways.
func withWays(d map[string]string) map[string]string {
	d["WeightX"], d["WeightY"] = "1", "1"
	return withCommon(d)
}

// chamferLosses are the rows of the losses of nearest neighbours, and of Sliced.
func chamferLosses() []Loss {
	return []Loss{
		{
			Name: "chamfer", Function: "Chamfer", Unit: "length²", Cost: "SqEuclidean",
			Summary:  "mean squared distance to the nearest point, both ways added",
			Options:  func() any { return new(ChamferOptions) },
			Defaults: withWays(map[string]string{}),
			Run:      run(Chamfer), RunBatch: run(ChamferBatch),
		},
		{
			Name: "chamfer-l1", Function: "ChamferL1", Unit: "length", Cost: "Euclidean",
			Summary:  "mean distance to the nearest point, half of both ways added",
			Options:  func() any { return new(ChamferOptions) },
			Defaults: withWays(map[string]string{}),
			Run:      run(ChamferL1), RunBatch: run(ChamferL1Batch),
		},
		{
			Name: "hypercd", Function: "HyperCD", Unit: "1", Cost: "arcosh(1 + α SqEuclidean)",
			Summary:  "mean hyperbolic distance to the nearest point, both ways added: far points count less",
			Options:  func() any { return new(HyperCDOptions) },
			Defaults: withWays(map[string]string{"Alpha": "1"}),
			Run:      run(HyperCD), RunBatch: run(HyperCDBatch),
		},
		{
			Name: "infocd", Function: "InfoCD", Unit: "1", Cost: "Euclidean / τ",
			Summary:  "mean distance to the nearest point in units of τ with a contrastive term, half of both ways",
			Options:  func() any { return new(InfoCDOptions) },
			Defaults: withWays(map[string]string{"Tau": "2", "Lambda": "1e-7"}),
			Run:      run(InfoCD), RunBatch: run(InfoCDBatch),
		},
		{
			Name: "dcd", Function: "DCD", Unit: "1", Cost: "1 − exp(−α SqEuclidean)",
			Summary:  "density-aware Chamfer: a neighbour that many points chose counts less, half of both ways",
			Options:  func() any { return new(DCDOptions) },
			Defaults: withWays(map[string]string{"Alpha": "1000", "Lambda": "1"}),
			Run:      run(DCD), RunBatch: run(DCDBatch),
		},
		{
			Name: "hausdorff", Function: "Hausdorff", Unit: "length", Cost: "Euclidean",
			Summary:  "largest distance to the nearest point, or a quantile of them, the larger of both ways",
			Options:  func() any { return new(HausdorffOptions) },
			Defaults: withCommon(map[string]string{"Quantile": "1"}),
			Run:      run(Hausdorff), RunBatch: run(HausdorffBatch),
		},
		{
			Name: "sliced", Function: "Sliced", Unit: "length²", Cost: "SqEuclidean",
			Summary:  "mean over directions of the transport between projections on a line, no root",
			Options:  func() any { return new(SlicedOptions) },
			Defaults: withCommon(map[string]string{"Cost": "sqeuclidean", "L": "64"}),
			Run:      run(Sliced), RunBatch: run(SlicedBatch),
		},
	}
}

// usualRadius is what is common for clouds of size 1.
const usualRadius = 0.01

// metrics are the rows of what judges and has no gradient.
func metrics() []Loss {
	return []Loss{
		{
			Name: "fscore", Function: "FScore", Unit: "1", Cost: "Euclidean < Radius", Metric: true,
			Summary:  "F-score: how many points of each cloud have one of the other nearer than Radius",
			Options:  func() any { return new(FScoreOptions) },
			Defaults: withCommon(map[string]string{}), Needs: map[string]float64{"Radius": usualRadius},
			Run: run(FScore), RunBatch: run(FScoreBatch),
		},
		{
			Name: "density", Function: "Density", Unit: "1", Cost: "Euclidean", Metric: true,
			Summary:  "share of the points of B that are the nearest of a point of A, and how often each is",
			Options:  func() any { return new(DensityOptions) },
			Defaults: withCommon(map[string]string{}),
			Run:      run(Density), RunBatch: run(DensityBatch),
		},
		{
			Name: "metrics", Function: "Metrics", Unit: "length", Cost: "Euclidean", Metric: true,
			Summary:  "Hausdorff distance, F-score and density of one search",
			Options:  func() any { return new(MetricsOptions) },
			Defaults: withCommon(map[string]string{"Quantile": "1"}), Needs: map[string]float64{"Radius": usualRadius},
			Run: run(Metrics), RunBatch: run(MetricsBatch),
		},
	}
}
