package main

import "github.com/gondola-lab/gondola/apmlgpu"

// sinkhornLine is how a value was got and how good it is, in the line of Sinkhorn.
type sinkhornLine struct {
	Epsilon       float64 `json:"epsilon"`
	Rounds        int     `json:"rounds"`
	Converged     bool    `json:"converged"`
	Mass          float64 `json:"mass"`
	RowErrorMax   float64 `json:"row_error_max"`
	TransportCost float64 `json:"transport_cost"`
	SelfX         float64 `json:"self_x"`
	SelfY         float64 `json:"self_y"`
	PrunedBound   float64 `json:"pruned_bound"`
	UniqueN       int     `json:"unique_n"`
	UniqueM       int     `json:"unique_m"`
}

// sinkhornWords are those of a result of Sinkhorn; nil for every other loss.
func sinkhornWords(r apmlgpu.Result) *sinkhornLine {
	s := r.Stats
	cost, err := r.TransportCost()
	if s.Epsilon == 0 || err != nil {
		return nil
	}
	return &sinkhornLine{
		Epsilon: s.Epsilon, Rounds: s.Iterations, Converged: s.Converged, Mass: s.Mass, RowErrorMax: s.RowErrorMax,
		TransportCost: cost, SelfX: s.SelfX, SelfY: s.SelfY, PrunedBound: s.PrunedBound, UniqueN: s.UniqueN, UniqueM: s.UniqueM,
	}
}
