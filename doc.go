// Package gondola is the map of the house and holds no code.
//
// Gondola is a Go notebook kernel for optimal transport on point clouds. It has
// two halves that never meet: kernel/ answers notebooks; apmlgpu, cloud, cuda
// and plots compute and draw. Only cmd/gondola and the generated packs import
// both. docs/architecture.md follows a cell and a cloud through the packages.
package gondola
