-- ARGV: time, mode, type, keep-alive, rate, interval: see configure.lua for the modes. Returns 1 if there were
-- settings and 1 if new ones were written; then, if there were some, those: type, keep-alive, rate, interval.
local now, mode = instant(ARGV[1]), ARGV[2]
local new = {type = tonumber(ARGV[3]), keep = tonumber(ARGV[4]), rate = tonumber(ARGV[5]), interval = tonumber(ARGV[6])}
local old = settings()
local answer = {0, 1}
if old then
  answer = {1, 1, old.type, old.keep, old.rate, old.interval}
  local differ = false
  for field, value in pairs(new) do differ = differ or old[field] ~= value end
  if mode == 'try' or mode == 'overwrite' and not differ then
    answer[2] = 0
    return answer
  end
elseif mode == 'update' or mode == 'renew' then
  return {0, 0}
end
local drop = mode == 'set' or mode == 'update' or old and old.type ~= new.type
if old and not drop then
  local s, wrong = open(now)
  if not s and wrong ~= CLIENT then return {wrong} end
  if s then -- what is back by the interval until now goes
    redis.call('ZREMRANGEBYSCORE', s.set, '-inf', s.edge)
  end
end
redis.call('HSET', KEYS[1], 'rate', ARGV[5], 'interval', ARGV[6], 'type', ARGV[3], 'keepAliveTime', ARGV[4])
if drop then
  redis.call('DEL', unpack(KEYS, 2))
end
if new.keep > 0 then
  for i = 1, #KEYS do redis.call('PEXPIRE', KEYS[i], new.keep) end
elseif old and old.keep > 0 then
  for i = 1, #KEYS do redis.call('PERSIST', KEYS[i]) end
end
if drop then return answer end
local s = open(now)
if not s or not s.stored and not s.head[1] then return answer end
redis.call('ZREMRANGEBYSCORE', s.set, '-inf', s.edge)
s.left = derived(s)
if not s.left then return {FOREIGN} end
save(s, s.interval)
return answer
