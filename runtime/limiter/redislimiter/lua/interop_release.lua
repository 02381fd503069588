-- ARGV: time, permits, and the stamp with which they were taken, or 0 for the newest. Returns 0 and how many were
-- given back.
local s, wrong = open(instant(ARGV[1]))
if not s then return {wrong} end
if not sweep(s, 0) then return {FOREIGN} end
local n, stamp, given = tonumber(ARGV[2]), tonumber(ARGV[3]), 0
local low, high = '(' .. s.edge, '+inf'
if stamp > 0 then
  if stamp <= s.at - s.interval then return {0, 0} end
  low, high = ARGV[3], ARGV[3]
end
while given < n do
  local some = redis.call('ZREVRANGEBYSCORE', s.set, high, low, 'WITHSCORES', 'LIMIT', 0, CHUNK / 4)
  if not some[1] then break end
  for i = 1, #some, 2 do
    local held = permits(some[i])
    if not held then return {FOREIGN} end
    local part = math.min(held, n - given)
    redis.call('ZREM', s.set, some[i])
    if part < held then
      redis.call('ZADD', s.set, some[i + 1], some[i]:sub(1, -5) .. struct.pack('I', held - part))
    end
    given = given + part
    if given == n then break end
  end
end
s.left = s.left + given
if s.left > s.rate then s.left = derived(s) or s.rate end
save(s, s.interval)
return {0, given}
