// Package notebooks holds the course and no code: NN-name.ipynb, run in a
// fresh kernel from top to bottom. Its test runs each by gondola run and
// compares the outputs with the committed ones.
package notebooks
