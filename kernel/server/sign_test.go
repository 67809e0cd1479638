package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// sign makes a message of four parts for the key "k".
func sign(parts ...[]byte) [][]byte {
	h := hmac.New(sha256.New, []byte("k"))
	for _, p := range parts {
		h.Write(p)
	}
	signature := []byte(hex.EncodeToString(h.Sum(nil)))
	return append([][]byte{[]byte("client"), []byte("<IDS|MSG>"), signature}, parts...)
}
