-- KEYS: as for acquire. ARGV: time, stride, limits. Returns how many permits are left. Writes nothing.
local states, owners, more = open(instant(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
if not states then return {owners, more} end
local free = ROUND
for i = 1, #states do free = math.min(free, states[i].rate - states[i].used) end
return {0, math.max(free, 0)}
