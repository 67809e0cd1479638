package server

import (
	"context"
	"runtime"
	"strings"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// kernelInfo answers kernel_info_request, on shell and on control. It needs no
// engine: front ends ask while a worker is still starting.
//
// Without the mimetype VS Code offers no completion. "kernel subshells" is not
// among the features: JupyterLab would send every comm on one.
func (s *Server) kernelInfo(context.Context, *wire.Message) (wire.Content, error) {
	version := strings.TrimPrefix(runtime.Version(), "go")
	return wire.KernelInfoReply{
		Status:                "ok",
		ProtocolVersion:       wire.Protocol,
		Implementation:        "gondola",
		ImplementationVersion: s.cfg.Version,
		LanguageInfo: wire.LanguageInfo{Name: "go", Version: version, Mimetype: "text/x-go", FileExtension: ".go",
			PygmentsLexer: "go", CodemirrorMode: "go"},
		Banner: "Gondola " + s.cfg.Version + ": Go " + version + " in a notebook. %help lists what is more than Go.",
		HelpLinks: []wire.Link{
			{Text: "Go language specification", URL: "https://go.dev/ref/spec"},
			{Text: "Go standard library", URL: "https://pkg.go.dev/std"},
		},
	}, nil
}
