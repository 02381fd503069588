-- ARGV: time, and what to do: exists, delete, expire with milliseconds, persist, ttl, or config. Returns whether
-- there is a limiter, then whether a time to live was taken back, what is left of it, or what config wants.
local what, answer = ARGV[2], {0, 0}
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then return {FOREIGN} end
if what == 'config' then
  local s = settings()
  if not s then return {MISSING} end
  return {1, 1, s.type, s.keep, s.rate, s.interval}
end
if what == 'delete' then return {math.min(redis.call('DEL', unpack(KEYS)), 1), 0} end
answer[1] = redis.call('EXISTS', KEYS[1])
for i = 1, #KEYS do
  if what == 'expire' then
    redis.call('PEXPIRE', KEYS[i], ARGV[3])
  elseif what == 'persist' then
    answer[2] = math.max(answer[2], redis.call('PERSIST', KEYS[i]))
  elseif what == 'ttl' then
    answer[2] = redis.call('PTTL', KEYS[1])
    break
  end
end
return answer
