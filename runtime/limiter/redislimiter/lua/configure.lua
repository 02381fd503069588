-- KEYS: as for acquire. ARGV: time, stride, mode, type, keep-alive, time to live, limits, and of each limit its rate,
-- interval and width. Modes: try writes only what is not there, set drops what is taken, keep does not, update and
-- renew are set and keep where there is something already, overwrite is keep where the settings differ.
--
-- Returns 1 if there were settings and 1 if new ones were written, then those that were there as config does.
local now = instant(ARGV[1])
local stride, mode, kind, limits = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[7])
local states, answer = {}, {0, 1}
local differ = false
for i = 1, limits do
  local s, foreign = load(KEYS[(i - 1) * stride + 1], now)
  if foreign then return {FOREIGN} end
  local at = 7 + (i - 1) * 3
  local rate, interval = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  if i == 1 and s then
    answer = {1, 1, s.type, s.limits, s.keep, s.rate, s.interval}
    differ = s.type ~= kind or s.limits ~= limits or s.keep ~= tonumber(ARGV[5]) or s.ttl ~= tonumber(ARGV[6])
  elseif s and i <= (answer[4] or 0) then
    answer[#answer + 1], answer[#answer + 2] = s.rate, s.interval
  end
  differ = differ or not s or s.rate ~= rate or s.interval ~= interval
  states[i] = s or false
end
local main = states[1]
if main and (mode == 'try' or mode == 'overwrite' and not differ)
  or not main and (mode == 'update' or mode == 'renew') then
  answer[2] = 0
  return answer
end
local drop = not main or mode == 'set' or mode == 'update' or main.type ~= kind
local epoch = drop and math.max(now, main and main.epoch + 1 or 0) or main.epoch
local like = {type = kind, limits = limits, epoch = epoch, keep = tonumber(ARGV[5]), ttl = tonumber(ARGV[6]),
  fixed = main and main.fixed or 0, expiry = main and main.expiry or 0, now = main and main.now or now}
for i = 1, limits do
  local s, at = states[i], 7 + (i - 1) * 3
  like.rate, like.interval, like.width = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  if drop or not s or s.epoch ~= epoch then
    local offset, clock = s and s.offset or 0, s and s.now or now
    s = fresh(KEYS[(i - 1) * stride + 1], like, now)
    if clock > s.now then s.offset, s.now = offset, clock end
  else
    retire(s)
    amend(s, like)
  end
  if s.fixed == 0 then s.expiry = 0 end -- so that the new time to live holds at once
  save(s)
end
return answer
