-- ARGV: time, permits, the longest wait in microseconds, random bytes. Takes permits whose time is still to come,
-- behind all that are taken. Returns 1, the wait in microseconds, the rate and the stamp; or 0 and the wait that
-- would be too long, which is -1 for permits beyond the rate.
local s, wrong = open(instant(ARGV[1]))
if not s then return {wrong} end
local n = tonumber(ARGV[2])
if n > s.rate then return {0, -1, s.rate} end
if not sweep(s, n) then return {FOREIGN} end
if s.left < n then heal(s) end
local wait, stamp = 0, s.at
if s.left < n then
  wait = back(s, n - s.left, math.huge)
  stamp = math.floor((s.now + wait) / 1000)
end
if wait > tonumber(ARGV[3]) then
  save(s, s.interval)
  return {0, wait, s.rate}
end
put(s, n, stamp, ARGV[4])
save(s, stamp - s.at + s.interval)
return {1, wait, s.rate, stamp}
