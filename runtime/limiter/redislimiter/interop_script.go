package redislimiter

import _ "embed"

// The scripts for Redisson's layout, each behind what all of them share.
var (
	//go:embed lua/interop_state.lua
	redissonStateText string
	//go:embed lua/interop_acquire.lua
	redissonAcquireText string
	//go:embed lua/interop_reserve.lua
	redissonReserveText string
	//go:embed lua/interop_release.lua
	redissonReleaseText string
	//go:embed lua/interop_available.lua
	redissonAvailableText string
	//go:embed lua/interop_configure.lua
	redissonConfigureText string
	//go:embed lua/interop_life.lua
	redissonLifeText string

	redissonAcquire   = newScript(redissonStateText + redissonAcquireText)
	redissonReserve   = newScript(redissonStateText + redissonReserveText)
	redissonRelease   = newScript(redissonStateText + redissonReleaseText)
	redissonAvailable = newScript(redissonStateText + redissonAvailableText)
	redissonConfigure = newScript(redissonStateText + redissonConfigureText)
	redissonLife      = newScript(redissonStateText + redissonLifeText)
)
