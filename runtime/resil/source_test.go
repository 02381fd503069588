package resil_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// A scriptedSource says what a test lets it say.
type scriptedSource struct {
	mu       sync.Mutex
	document *resil.Document
	err      error
	watching chan func(*resil.Document, error) // has one function while somebody watches
	ended    chan struct{}
}

func newSource(document *resil.Document) *scriptedSource {
	return &scriptedSource{
		document: document, watching: make(chan func(*resil.Document, error), 1), ended: make(chan struct{}),
	}
}

func (s *scriptedSource) Load() (*resil.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.document, s.err
}

func (s *scriptedSource) Watch(ctx context.Context, changed func(*resil.Document, error)) {
	s.watching <- changed
	<-ctx.Done()
	close(s.ended)
}

// say lets whoever watches know what the source says from now on; it returns when that is done.
func (s *scriptedSource) say(document *resil.Document, err error) {
	changed := <-s.watching
	defer func() { s.watching <- changed }()
	changed(document, err)
}

// from returns the option of a source that says this and never changes.
func from(instances ...resil.Section) resil.Option {
	return resil.WithSource(newSource(doc(instances...)))
}

// doc returns a document that says this of instances.
func doc(instances ...resil.Section) *resil.Document {
	return &resil.Document{Name: "resil.yaml", Instances: instances}
}

// at returns the position in the line of the test's document.
func at(line int) resil.Position { return resil.Position{File: "resil.yaml", Line: line, Column: 1} }

// said returns a section of the line, with keys and values by turns. Its settings stand in the lines that follow.
func said(kind policy.Kind, name string, line int, keysAndValues ...any) resil.Section {
	s := resil.Section{Kind: kind, Name: name, Position: at(line)}
	for i := 0; i < len(keysAndValues); i += 2 {
		line++
		key, value := keysAndValues[i].(string), keysAndValues[i+1]
		if key == "baseConfig" {
			s.Base = &resil.Named{Text: value.(string), Position: at(line)}
			continue
		}
		s.Settings = append(s.Settings, resil.Setting{Key: key, Position: at(line), Value: value})
	}
	return s
}

func ofTenant(id string, s resil.Section) resil.Section { s.Tenant = id; return s }

func ofEnvironment(s resil.Section) resil.Section {
	s.Environment = true
	s.Position = resil.Position{File: "RESIL_" + s.Name}
	for i := range s.Settings {
		s.Settings[i].Position = s.Position
	}
	return s
}

// listed returns names that stand in the line.
func listed(line int, texts ...string) (all resil.Names) {
	for _, text := range texts {
		all = append(all, resil.Named{Text: text, Position: at(line)})
	}
	return all
}

// A journal is a buffer for a log, which several goroutines may write and read.
type journal struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buffer.Write(p)
}

// take returns what was written since the last time.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := j.buffer.String()
	j.buffer.Reset()
	return text
}

// logTo returns the option of a runtime that logs there.
func logTo(j *journal) resil.Option { return resil.WithLogger(slog.New(slog.NewTextHandler(j, nil))) }
