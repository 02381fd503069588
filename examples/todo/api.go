package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/resilgen/resilgen/examples/todo/todo"
)

// An api is the external todo service, which the script makes hang or fail.
type api struct {
	mu      sync.Mutex
	hangs   bool
	failing string // the tenant whose requests fail
}

// hang makes every request hang, or none.
func (a *api) hang(hangs bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hangs = hangs
}

// failFor makes the requests of that tenant fail.
func (a *api) failFor(tenant string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = tenant
}

// ServeHTTP implements http.Handler.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	hangs, failing := a.hangs, a.failing
	a.mu.Unlock()
	if hangs {
		<-r.Context().Done()
		return
	}
	if failing != "" && r.Header.Get(todo.TenantHeader) == failing {
		http.Error(w, "the shard of "+failing+" is down", http.StatusInternalServerError)
		return
	}
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 1 || id > len(titles) {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, todo.Todo{UserID: 1, ID: id, Title: titles[id-1], Completed: id == 3})
}

var titles = []string{"water the plants", "answer the letters", "mend the fence"}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the caller has gone
}
