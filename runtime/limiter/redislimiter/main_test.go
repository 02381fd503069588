package redislimiter_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter/internal/redistest"
)

// clientsOwn are goroutines of go-redis that may outlive a failover client which is closed while its sentinels are gone.
var clientsOwn = []goleak.Option{
	goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9.(*sentinelFailover).listen"),
	goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9.(*channel).initMsgChan.func1"),
	goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9.(*channel).initHealthCheck.func1"),
}

// TestMain ends the server that the tests share, and sees to it that nothing else is left of them.
func TestMain(m *testing.M) {
	if os.Getenv(processServer) != "" {
		if err := acquireInProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	logging.Disable() // servers fail here on purpose
	code := m.Run()
	if err := redistest.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	leaked := goleak.Find(clientsOwn...)
	for end := time.Now().Add(20 * time.Second); leaked != nil && time.Now().Before(end); {
		leaked = goleak.Find(clientsOwn...) // closed pools of go-redis look after a second whether their server is back
	}
	if leaked != nil && code == 0 {
		fmt.Fprintln(os.Stderr, leaked)
		code = 1
	}
	os.Exit(code)
}
