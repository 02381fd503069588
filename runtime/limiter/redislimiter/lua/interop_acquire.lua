-- ARGV: time, ahead in milliseconds, random bytes, and for each run of equal requests the permits of one and their
-- number. Returns how many requests are granted, the wait of the next one in microseconds, or -1 if it exceeds the
-- rate, the rate, and the stamp.
local s, wrong = open(instant(ARGV[1]))
if not s then return {wrong} end
local wanted = 0
for i = 4, #ARGV, 2 do wanted = wanted + ARGV[i] * ARGV[i + 1] end
if not sweep(s, math.min(wanted, s.rate)) then return {FOREIGN} end
if s.left < wanted then heal(s) end
local granted, taken, wait = 0, 0, 0
for i = 4, #ARGV, 2 do
  local n, requests = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local fit = math.max(math.min(requests, math.floor((s.left - taken) / n)), 0)
  granted, taken = granted + fit, taken + fit * n
  if fit < requests then
    wait = n > s.rate and -1 or n
    break
  end
end
local stamp = s.at + tonumber(ARGV[2])
if taken > 0 then put(s, taken, stamp, ARGV[3]) end
if wait > 0 then wait = back(s, wait - s.left, SHORT) end
save(s, tonumber(ARGV[2]) + s.interval)
return {granted, wait, s.rate, stamp}
