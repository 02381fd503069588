-- KEYS: as for acquire. ARGV: time, and what to do: exists, delete, expire with microseconds, persist, or ttl. Returns
-- whether there was a limiter and, of ttl, what is left.
local now, what, answer = instant(ARGV[1]), ARGV[2], {0, 0}
for i = 1, #KEYS do
  local s, foreign = load(KEYS[i], now)
  if foreign then return {FOREIGN} end
  if s then
    answer[1] = 1
    if what == 'delete' then
      redis.call('DEL', KEYS[i])
    elseif what == 'expire' then
      s.fixed, s.expiry, s.changed, s.dirty, s.ending = 1, s.now + tonumber(ARGV[3]), true, true, true
      save(s)
    elseif what == 'persist' then
      answer[2] = math.max(answer[2], s.fixed)
      s.fixed, s.expiry, s.changed, s.dirty = 0, 0, true, true
      save(s)
    elseif what == 'ttl' and i == 1 then
      answer[2] = s.expiry - s.now
    end
    if what == 'exists' then break end
  elseif i == 1 and what ~= 'delete' then
    break
  end
end
return answer
