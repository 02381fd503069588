-- KEYS: as for acquire. ARGV: time, stride, limits. Returns 0, 0, type, limits, keep-alive, and rate and interval of each
-- limit. Writes nothing.
local now = instant(ARGV[1])
local stride, limits = tonumber(ARGV[2]), tonumber(ARGV[3])
local answer = {0, 0}
for i = 1, limits do
  local s, foreign = load(KEYS[(i - 1) * stride + 1], now)
  if foreign then return {FOREIGN} end
  if not s then return {MISSING} end
  if s.limits ~= limits then return {LIMITS, s.limits} end
  if i == 1 then answer[3], answer[4], answer[5] = s.type, s.limits, s.keep end
  answer[#answer + 1], answer[#answer + 2] = s.rate, s.interval
end
return answer
