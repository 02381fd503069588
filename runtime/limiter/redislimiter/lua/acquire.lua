-- KEYS: of each limit its own key and, if stride is 2, the client's. ARGV: time, stride, limits, ahead, and for each run
-- of equal requests the permits of one and their number. ahead is by how much the stamps are later than now, for permits
-- that may be used until then. Requests are granted in order until one does not fit. There is a short form: see grant.lua.
--
-- Returns the stamps, of one limit as a number, if all are granted; else their number in an array, with the wait of the
-- next one, or -1 and the limit that it exceeds.
local said = ARGV
if #ARGV < 4 then said = {ARGV[3] or '', 1, 1, 0, ARGV[1], ARGV[2] or 1} end
local now = instant(said[1])
local stride, limits, ahead = tonumber(said[2]), tonumber(said[3]), tonumber(said[4])
local states, owners, more = open(now, stride, limits)
if not states then return {owners, more} end
local free, rate = ROUND, ROUND
for i = 1, limits do
  local s = states[i]
  free, rate = math.min(free, s.rate - s.used), math.min(rate, s.rate)
end
local granted, permits, wait = 0, 0, nil
for i = 5, #said, 2 do
  local n, requests = tonumber(said[i]), tonumber(said[i + 1])
  local fit = math.max(math.min(requests, math.floor((free - permits) / n)), 0)
  granted, permits = granted + fit, permits + fit * n
  if fit < requests then
    wait = n
    break
  end
end
if permits > 0 then
  for i = 1, limits do
    local s = states[i]
    put(s, permits, stamped(s, s.now + ahead))
  end
end
if wait then
  local n = wait
  if n > rate then
    wait = -1
  else
    wait = 0
    for i = 1, limits do
      local s = states[i]
      wait = math.max(wait, back(s, n - (s.rate - s.used)))
    end
  end
end
close(states, owners)
if not wait then
  if limits == 1 then return states[1].newest end
  local stamps = {granted, 0, 0}
  for i = 1, limits do stamps[i + 3] = states[i].newest end
  return stamps
end
local answer = {granted, wait, rate}
for i = 1, limits do answer[i + 3] = states[i].newest end
return answer
