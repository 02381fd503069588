-- KEYS: as for acquire. ARGV: time, stride, limits, permits, and the longest wait. Takes permits whose time is still to
-- come, behind all that are taken. Returns 1, the wait and, after the least rate, the stamps; or 0 and the wait that
-- would be too long, which is -1 for permits beyond the rate.
local states, owners, more = open(instant(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
if not states then return {owners, more} end
local n, longest = tonumber(ARGV[4]), tonumber(ARGV[5])
local wait, rate = 0, ROUND
for i = 1, #states do
  local s = states[i]
  rate = math.min(rate, s.rate)
  if n > s.rate or s.used + n > ROUND / 2 then
    wait = -1
  elseif wait >= 0 then
    wait = math.max(wait, back(s, n - (s.rate - s.used)))
  end
end
if wait < 0 or wait > longest then return {0, wait, rate} end
local answer = {1, wait, rate}
for i = 1, #states do
  local s = states[i]
  put(s, n, stamped(s, s.now + wait))
  answer[i + 3] = s.newest
end
close(states, owners)
return answer
