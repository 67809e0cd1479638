package wire

import "testing"

// BenchmarkMessage is a status, signed, and a request, checked.
func BenchmarkMessage(b *testing.B) {
	s := session("0123456789abcdef0123456789abcdef")
	parent := &Message{RawHeader: []byte(`{"msg_id":"a_1","session":"a","username":"u","date":"2026-01-01T00:00:00.000000Z","msg_type":"execute_request","version":"5.5"}`)}
	b.Run("op=publish/type=status", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Publish(parent, Status{State: "busy"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	})
	b.Run("op=sign/type=status", func(b *testing.B) {
		parts := [][]byte{parent.RawHeader, parent.RawHeader, []byte("{}"), []byte(`{"execution_state":"busy"}`)}
		for b.Loop() {
			s.sign(parts)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	})
}
