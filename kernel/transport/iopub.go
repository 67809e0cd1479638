package transport

// subscription reads what a subscriber sends on iopub: the topic that it
// subscribes to. XPUB hands it up as one frame, \x01topic; the end of a
// subscription, \x00topic, and anything else asks for nothing.
func subscription(frames [][]byte) (topic []byte, ok bool) {
	if len(frames) != 1 || len(frames[0]) == 0 || frames[0][0] != 1 {
		return nil, false
	}
	return frames[0][1:], true
}
