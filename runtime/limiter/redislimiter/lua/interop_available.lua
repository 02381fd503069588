-- ARGV: time. Returns 0 and how many permits are left. Writes nothing.
local s, wrong = open(instant(ARGV[1]))
if not s then return {wrong} end
local members, back = redis.call('ZCARD', s.set), 0
if s.due then back = redis.call('ZCOUNT', s.set, '-inf', s.edge) end
local free = s.left
if members > SHORT and back <= members / 2 then
  local sum = back > 0 and total(redis.call('ZRANGEBYSCORE', s.set, '-inf', s.edge)) or 0
  if not sum then return {FOREIGN} end
  free = free + sum
  if free <= s.rate then return {0, math.max(free, 0)} end
end
-- The rest is counted where that is less work, or where number and set may differ.
local taken = live(s)
if not taken then return {FOREIGN} end
if back == 0 and free <= s.rate then free = math.max(free, s.rate - taken) else free = s.rate - taken end
return {0, math.max(free, 0)}
