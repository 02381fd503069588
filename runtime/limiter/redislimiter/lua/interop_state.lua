-- Redisson's layout. KEYS: the hash with the settings, the number of permits left and the sorted set of what is
-- taken, and of a client the two for itself. ARGV: time first. A member of the set ends with its permits as an
-- integer; its score is when they were taken, in milliseconds. Instants and durations are milliseconds here.
--
-- What is free is the number that is left, plus what is back and was not swept yet. Number and set can differ when a
-- key was lost or a client of another kind erred: then the set counts.
local MISSING, FOREIGN, CLIENT, WINDOW = -1, -2, -4, -5
local CHUNK, SHORT = 256, 1024

-- instant returns the time in microseconds: the server's, or what a test says.
local function instant(said)
  if said ~= '' then return tonumber(said) end
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end

-- settings returns what the hash holds, or nil where there is no limiter.
local function settings()
  local h = redis.call('HMGET', KEYS[1], 'rate', 'interval', 'type', 'keepAliveTime')
  local s = {rate = tonumber(h[1]), interval = tonumber(h[2]), type = tonumber(h[3]), keep = tonumber(h[4] or 0) or 0}
  if s.rate and s.interval and s.type then return s end
end

-- permits returns how many permits a member stands for, or nil for one that is not of this layout. Its random part
-- has 16 bytes, 8 in 3.16, and their number before it; until 3.16.3 it was a float of 4 bytes without that.
local function permits(member)
  local size = #member
  if size ~= 8 and (size < 5 or member:byte(1) ~= size - 5) then return nil end
  return (struct.unpack('I', member, size - 3))
end

-- total returns the permits of members, or nil if there is a strange one.
local function total(members)
  local sum = 0
  for i = 1, #members do
    local n = permits(members[i])
    if not n then return nil end
    sum = sum + n
  end
  return sum
end

-- live returns the permits that are taken and not back.
local function live(s)
  return total(redis.call('ZRANGEBYSCORE', s.set, '(' .. s.edge, '+inf'))
end

-- derived returns what is left if the set counts: the rate less all that stands in it.
local function derived(s)
  local taken = total(redis.call('ZRANGE', s.set, 0, -1))
  return taken and s.rate - taken
end

-- open returns the state of a limiter, or nil and what is wrong. It writes nothing. What is free is left and, if due,
-- what is back but stands in the set still.
local function open(now)
  local s = settings()
  if not s then return nil, MISSING end
  s.now, s.at = now, math.floor(now / 1000)
  s.edge = string.format('%.0f', s.at - s.interval)
  s.value, s.set = KEYS[2], KEYS[3]
  if s.type == 1 then
    if not KEYS[4] then return nil, CLIENT end
    s.value, s.set = KEYS[4], KEYS[5]
  end
  local stored = redis.call('GET', s.value)
  if stored then
    s.stored = tonumber(stored)
    if not s.stored or s.stored ~= math.floor(s.stored) then return nil, FOREIGN end
  end
  s.head = redis.call('ZRANGE', s.set, 0, 0, 'WITHSCORES')
  if not s.head[1] then
    -- A number that expires although the settings do not is the window of Redisson until 3.13.2.
    if s.stored and s.stored < s.rate and s.keep <= 0 and redis.call('PTTL', s.value) > 0
      and redis.call('PTTL', KEYS[1]) == -1 then
      return nil, WINDOW
    end
    s.left, s.due = s.rate, false
    return s
  end
  if not permits(s.head[1]) then return nil, FOREIGN end
  s.due = tonumber(s.head[2]) <= s.at - s.interval
  s.left = s.stored
  if not s.left or s.left > s.rate then
    s.left = derived(s)
    if not s.left then return nil, FOREIGN end
  end
  return s
end

-- sweep takes out of the set some of what is back, and as much as it takes to have so many left. It reports whether
-- it could read what it found.
local function sweep(s, wanted)
  local first = true
  while s.due and (first or s.left < wanted) do
    first = false
    local back = redis.call('ZRANGEBYSCORE', s.set, '-inf', s.edge, 'LIMIT', 0, CHUNK)
    local sum = total(back)
    if not sum then return false end
    if back[1] then redis.call('ZREMRANGEBYRANK', s.set, 0, #back - 1) end
    s.due, s.left = #back == CHUNK, s.left + sum
    if s.left > s.rate then s.left = derived(s) end -- a client has released, which Redisson does without the set
    if not s.left then return false end
  end
  return true
end

-- heal corrects a number that is too low, after all that is back was swept: always where that costs next to nothing,
-- else in one call of many, and not in a very large set.
local function heal(s)
  local n = redis.call('ZCARD', s.set)
  if n <= 32 or n <= SHORT and s.now % 61 == 0 then s.left = math.max(s.left, derived(s) or s.left) end
end

-- back returns how long it takes, in microseconds, until so many of the permits that are taken are back, or as many
-- of them as a look at so many members finds.
local function back(s, n, most)
  local from, sum, score = 0, 0, nil
  while sum < n and from < most do
    local some = redis.call('ZRANGE', s.set, from, from + 63, 'WITHSCORES')
    if not some[1] then break end
    for i = 1, #some, 2 do
      score, sum = tonumber(some[i + 1]), sum + (permits(some[i]) or 0)
      if sum >= n then break end
    end
    from = from + 64
  end
  if not score then return 1000 end
  return math.max((score + s.interval) * 1000 - s.now, 1000 - s.now % 1000)
end

-- put adds n permits that are taken at a time, with a random part that is as long as that of what is there.
local function put(s, n, at, random)
  if s.head[1] and #s.head[1] == 13 then random = random:sub(1, 8) end
  redis.call('ZADD', s.set, string.format('%.0f', at), struct.pack('Bc0I', #random, random, n))
  s.left = s.left - n
end

-- save writes what is left, without a change to its time to live; then it makes the keys live as long as the settings
-- say, or as long as these do, but not shorter than need.
local function save(s, need)
  if not s.stored then
    redis.call('SET', s.value, string.format('%.0f', s.left))
  elseif s.left ~= s.stored then
    redis.call('INCRBY', s.value, string.format('%.0f', s.left - s.stored))
  end
  s.stored = s.left
  local ttl = s.keep
  if ttl > 0 then
    ttl = math.max(ttl, need)
    redis.call('PEXPIRE', KEYS[1], ttl)
  else
    ttl = redis.call('PTTL', KEYS[1])
  end
  if ttl > 0 then
    redis.call('PEXPIRE', s.value, ttl)
    redis.call('PEXPIRE', s.set, ttl)
  end
end
