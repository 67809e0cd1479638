package native

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// store is a folder of builds. Of each there are KEY.so, KEY.a and KEY.json,
// the sidecar with their hashes, which is written last.
type store struct{ dir string }

// sidecar says what the files of a build hold.
type sidecar struct {
	Path        string
	SO, Archive string // SHA-256
}

// findCache finds the folder of builds, and those to fall back to: a disk may
// be full, a home may not be writable.
func (t *Toolchain) findCache(context.Context) error {
	var why []string
	t.stores = nil
	for _, dir := range cacheDirs(t.cfg.Cache) {
		s, err := openStore(dir)
		if err != nil {
			why = append(why, err.Error())
			continue
		}
		t.stores = append(t.stores, s)
	}
	if len(t.stores) == 0 {
		return &Unavailable{"cache", "no folder for compiled cells can be written: " + strings.Join(why, "; "),
			"set GONDOLA_CACHE to a folder that can be written"}
	}
	if t.goCache == "" || writable(t.goCache) != nil { // the go command's own: it would refuse to work
		t.goCache = filepath.Join(t.stores[0].dir, "go-build")
		t.env = append(t.env, "GOCACHE="+t.goCache) // the last one counts
	}
	return nil
}

// cacheDirs are the folders for builds in the order of choice. Those behind
// the first are in memory, or are emptied by the system.
func cacheDirs(given string) (dirs []string) {
	if given = or(given, os.Getenv("GONDOLA_CACHE")); given != "" {
		dirs = append(dirs, given)
	} else if user, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(user, "gondola"))
	}
	mine := fmt.Sprintf("gondola-%d", os.Getuid())
	if runtime.GOOS == "linux" {
		dirs = append(dirs, filepath.Join("/dev/shm", mine))
	}
	return append(dirs, filepath.Join(os.TempDir(), mine))
}

// openStore makes the folder if there is none, for this user alone: whoever
// can write here can run code as this user.
func openStore(dir string) (*store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "native")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o700); err != nil && d == dir {
			return nil, err
		}
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() || !ours(st) {
		return nil, fmt.Errorf("%s belongs to somebody else", dir)
	}
	return &store{dir}, writable(dir)
}

// writable tries to write a file into a folder, which it makes.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "try-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// writeFile writes a whole file under its name, or nothing.
func writeFile(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "try-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (s *store) file(key, ext string) string { return filepath.Join(s.dir, key+ext) }

// get returns the plugin and the archive of a key, if both are there and hold
// what was written. What does not is taken out.
func (s *store) get(key string) (so, archive string, ok bool) {
	b, err := os.ReadFile(s.file(key, ".json"))
	if err != nil {
		return "", "", false
	}
	var side sidecar
	so, archive = s.file(key, ".so"), s.file(key, ".a")
	if json.Unmarshal(b, &side) != nil || hashFile(so) != side.SO || hashFile(archive) != side.Archive {
		os.Remove(s.file(key, ".json"))
		return "", "", false
	}
	now := time.Now()
	os.Chtimes(s.file(key, ".json"), now, now) // the oldest use goes first; without it the oldest build
	return so, archive, true
}

// put takes the files of a build over, by renaming.
func (s *store) put(key, path, so, archive string) error {
	side := sidecar{path, hashFile(so), hashFile(archive)}
	b, err := json.Marshal(side)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Rename(archive, s.file(key, ".a")), os.Rename(so, s.file(key, ".so"))); err != nil {
		return err
	}
	return writeFile(s.file(key, ".json"), b)
}

// hashFile is the SHA-256 of a file, or "" when it cannot be read.
func hashFile(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// an entry is a build in a store.
type entry struct {
	key   string
	used  time.Time
	bytes int64
}

// entries lists the builds, the last used first, and what lies in the folder
// of builds that were never finished.
func (s *store) entries() (all []entry, left []string) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, nil
	}
	for _, f := range files {
		key, ok := strings.CutSuffix(f.Name(), ".json")
		info, err := f.Info()
		if err != nil {
			continue // gone meanwhile
		}
		if !ok || len(key) != 2*sha256.Size {
			base, _, _ := strings.Cut(f.Name(), ".")
			_, err := os.Stat(s.file(base, ".json"))
			if err != nil && time.Since(info.ModTime()) > workAge && f.Name() != "go-build" {
				left = append(left, f.Name())
			}
			continue
		}
		e := entry{key: key, used: info.ModTime(), bytes: info.Size()}
		for _, ext := range []string{".so", ".a"} {
			if st, err := os.Stat(s.file(key, ext)); err == nil {
				e.bytes += st.Size()
			}
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int { return b.used.Compare(a.used) })
	return all, left
}

// sweep takes out what is over the size, the oldest use first, and the rests
// of builds that were never finished.
func (s *store) sweep(limit int64) {
	all, left := s.entries()
	var sum int64
	for _, e := range all {
		if sum += e.bytes; sum > limit {
			for _, ext := range []string{".json", ".so", ".a"} { // the sidecar first: without it the others are nothing
				os.Remove(s.file(e.key, ext))
			}
		}
	}
	for _, name := range left {
		os.RemoveAll(filepath.Join(s.dir, name))
	}
}

// tellCache is the doctor's line.
func (t *Toolchain) tellCache() string {
	all, _ := t.stores[0].entries()
	var sum int64
	for _, e := range all {
		sum += e.bytes
	}
	return fmt.Sprintf("%s, %d cells, %d MB", t.stores[0].dir, len(all), sum>>20)
}
