-- A state is one string: a header of 117 bytes and a ring of closed entries of 12 bytes each. An entry is a stamp, in
-- microseconds of the server's clock, and how many permits had been taken up to and with it, ever. The newest entry is
-- open and stands in the header. A permit is back one interval after its stamp, so used is the difference between the
-- newest count and base, the count of what is back. Counts go round at 2^40, which is far more than can be in use.
--
--   0 magic and version   4 from        11 to         18 newest      25 ceiling     30 count       35 base
--  40 oldest              47 first       49 closed     51 capacity    53 due         60 offset      67 expiry
--  74 type                75 limits      76 fixed      77 epoch       84 rate        89 interval    96 width
-- 103 keep-alive         110 ttl
--
-- From from to to, of the server's clock, a grant changes nothing but count, which may rise to ceiling. Until due no
-- grant needs a longer time to live. Where these are 0, nothing is plain: see grant.lua. What is in use may be some that is
-- back and was not retired yet. A ring has room for more entries than there can be buckets in use, so that it is retired
-- some at a time.
local MAGIC, HEADER, ENTRY, MOST, ROUND = 'rlm\001', 117, 12, 1152, 1099511627776
local CHANGING, SETTINGS = '<I7I7I7I5I5I5I7I2I2I2I7I7I7', '<BBBI7I5I7I7I7I7'
local PERCLIENT = 2

-- instant returns the time of the server, or what a test says.
local function instant(said)
  if said ~= '' then return tonumber(said) end
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end

-- tell sets the time of a state: the clock's, plus what it was set back by since the state began, so that it never
-- runs backwards and does not stand still either.
local function tell(s, now)
  s.now = now + s.offset
  if now < s.from then
    s.offset = s.offset + s.from - now
    s.now = now + s.offset
    s.dirty = true
  end
end

-- load returns the state of a key, or nil if there is none, and whether the key is somebody else's.
local function load(key, now)
  local raw = redis.call('GETRANGE', key, 0, HEADER - 1)
  if raw == '' then return nil, false end
  if raw:sub(1, 3) ~= 'rlm' then return nil, true end
  if #raw < HEADER or raw:sub(1, 4) ~= MAGIC then return nil, false end
  local s = {key = key}
  local _
  s.from, _, s.newest, _, s.count, s.base, s.oldest, s.first, s.closed, s.capacity, _, s.offset, s.expiry, s.type, s.limits,
    s.fixed, s.epoch, s.rate, s.interval, s.width, s.keep, s.ttl = struct.unpack(CHANGING .. SETTINGS:sub(2), raw, 5)
  s.used = (s.count - s.base) % ROUND
  tell(s, now)
  if s.expiry <= s.now then return nil, false end
  return s, false
end

-- clear makes a state one in which nothing is taken.
local function clear(s)
  s.base, s.count, s.used, s.first, s.closed, s.capacity, s.oldest, s.newest = 0, 0, 0, 0, 0, 0, 0, 0
  s.ring, s.changed, s.dirty = '', true, true
end

-- fresh returns a state in which nothing is taken, with the settings of another one.
local function fresh(key, like, now)
  local s = {key = key, type = like.type, limits = like.limits, epoch = like.epoch, rate = like.rate,
    interval = like.interval, width = like.width, keep = like.keep, ttl = like.ttl, fixed = like.fixed,
    from = now, offset = 0, expiry = like.fixed == 1 and now + like.expiry - like.now or 0, now = now}
  clear(s)
  return s
end

-- entry returns the stamp and the count of the i-th closed entry, from 0. It reads some at a time. Where the string was
-- cut short, the rest counts as taken with the newest entry.
local function entry(s, i)
  local cache = s.cache
  if not cache then
    cache = {}
    s.cache = cache
  end
  local stamp = cache[2 * i]
  if stamp then return stamp, cache[2 * i + 1] end
  local at = (s.first + i) % s.capacity
  local n = math.min(4, s.closed - i, s.capacity - at)
  local from = HEADER + at * ENTRY
  local raw = redis.call('GETRANGE', s.key, from, from + n * ENTRY - 1)
  if #raw < n * ENTRY then return nil end
  for j = 0, n - 1 do
    cache[2 * (i + j)], cache[2 * (i + j) + 1] = struct.unpack('<I7I5', raw, j * ENTRY + 1)
  end
  return cache[2 * i], cache[2 * i + 1]
end

-- lump forgets the closed entries: all that is taken comes back with the newest.
local function lump(s)
  s.closed, s.first, s.oldest, s.cache, s.dirty = 0, 0, s.newest, nil, true
end

-- search returns the number of closed entries, from the oldest on, for which before(stamp, taken) holds; it is tried on a
-- few of them only. It gallops first, as mostly the answer is small.
local function search(s, before)
  local low, high, step = 0, s.closed, 1 -- entries below low are before, those from high on are not
  while low < high do
    local i = math.min(low + step - 1, high - 1)
    local stamp, count = entry(s, i)
    if not stamp then
      lump(s)
      return 0
    end
    if before(stamp, (count - s.base) % ROUND) then
      low, step = i + 1, step * 2
    else
      high = i
      break
    end
  end
  while low < high do
    local i = math.floor((low + high) / 2)
    local stamp, count = entry(s, i)
    if not stamp then
      lump(s)
      return 0
    end
    if before(stamp, (count - s.base) % ROUND) then low = i + 1 else high = i end
  end
  return low
end

-- retire takes out of a state what is back by now.
local function retire(s)
  local edge = s.now - s.interval
  if s.used == 0 or s.oldest > edge then return end
  local back = 0
  if s.newest > edge then
    if s.closed == 0 then return end
    back = search(s, function(stamp) return stamp <= edge end)
    if back == 0 then return end
    local _, count = entry(s, back - 1)
    local oldest = s.newest
    if back < s.closed then oldest = entry(s, back) or s.newest end
    s.base, s.oldest = count, oldest
    s.first, s.closed = (s.first + back) % s.capacity, s.closed - back
  else
    s.base, s.first, s.closed = s.count, 0, 0
  end
  s.used, s.cache = (s.count - s.base) % ROUND, nil
end

-- back returns how long it takes until n of the permits in use are back, 0 if n is not above 0.
local function back(s, n)
  if n <= 0 then return 0 end
  local i = search(s, function(_, taken) return taken < n end)
  local stamp = s.newest
  if i < s.closed then stamp = entry(s, i) or s.newest end
  return math.max(stamp + s.interval - s.now, 0)
end

-- stamped returns the stamp of what is taken at a time: its millisecond, or the end of its bucket.
local function stamped(s, at)
  local stamp
  if s.width == 0 then stamp = at - at % 1000 else stamp = at - at % s.width + s.width end
  if s.used > 0 and s.newest > stamp then return s.newest end
  return stamp
end

-- ring returns the closed entries as one string.
local function ring(s)
  if s.closed == 0 then return '' end
  local from, n = HEADER + s.first * ENTRY, math.min(s.closed, s.capacity - s.first)
  local raw = redis.call('GETRANGE', s.key, from, from + n * ENTRY - 1)
  if n < s.closed then
    raw = raw .. redis.call('GETRANGE', s.key, HEADER, HEADER + (s.closed - n) * ENTRY - 1)
  end
  if #raw < s.closed * ENTRY then
    lump(s)
    return ''
  end
  return raw
end

-- put adds n permits that are taken with a stamp.
local function put(s, n, stamp)
  s.dirty = true
  if s.used == 0 then
    s.first, s.closed, s.oldest, s.newest = 0, 0, stamp, stamp
  elseif stamp > s.newest then
    if s.closed == s.capacity and s.capacity < MOST then
      s.ring = ring(s)
      s.first, s.capacity, s.changed = 0, math.min(math.max(8, 2 * s.capacity), MOST), true
    end
    if s.closed < s.capacity then
      local packed = struct.pack('<I7I5', s.newest, s.count)
      if s.ring then
        s.ring = s.ring .. packed
      else
        redis.call('SETRANGE', s.key, HEADER + (s.first + s.closed) % s.capacity * ENTRY, packed)
      end
      s.closed = s.closed + 1
    end -- else there is no room: what the newest entry holds comes back a little later
    s.newest = stamp
  end
  s.count, s.used, s.cache = (s.count + n) % ROUND, s.used + n, nil
end

-- amend gives a state the settings of another one.
local function amend(s, like)
  s.rate, s.interval, s.width, s.keep, s.ttl, s.limits = like.rate, like.interval, like.width, like.keep, like.ttl, like.limits
  s.changed, s.dirty = true, true
  if s.fixed ~= like.fixed and like.now then
    s.fixed = like.fixed
    if s.fixed == 1 then s.expiry, s.ending = s.now + like.expiry - like.now, true end
  end
end

-- save writes a state, if it has changed, and renews its time to live when less than three quarters are left or the
-- newest permit would outlive it.
local function save(s)
  local ttl
  if s.fixed == 0 then
    local need = s.used > 0 and s.newest + s.interval - s.now or 0
    if s.expiry - s.now < math.max(s.ttl * 0.75, need) then
      ttl = math.max(s.ttl, need)
      s.expiry, s.dirty = s.now + ttl, true
    end
  end
  if not s.dirty then return end
  local to, due = 0, 0
  if s.type ~= PERCLIENT and s.limits == 1 and s.used > 0 then
    local renewed = s.fixed == 1 and s.expiry or s.expiry - math.ceil(s.ttl * 0.75)
    to = math.max(math.min(s.width == 0 and s.newest + 1000 or s.newest, renewed) - s.offset, 0)
    due = math.max((s.fixed == 1 and renewed or math.min(renewed, s.expiry - s.interval - s.width)) - s.offset, 0)
  end
  local raw = struct.pack(CHANGING, s.now - s.offset, to, s.newest, (s.base + s.rate) % ROUND, s.count, s.base, s.oldest,
    s.first, s.closed, s.capacity, due, s.offset, s.expiry)
  if s.changed then
    raw = MAGIC .. raw .. struct.pack(SETTINGS, s.type, s.limits, s.fixed, s.epoch, s.rate, s.interval, s.width, s.keep,
      s.ttl)
    if s.ring then
      raw = raw .. s.ring .. string.rep('\0', s.capacity * ENTRY - #s.ring)
      redis.call('SET', s.key, raw, 'PX', math.max(math.ceil((s.expiry - s.now) / 1000), 1))
      return
    end
    redis.call('SETRANGE', s.key, 0, raw)
  else
    redis.call('SETRANGE', s.key, 4, raw)
  end
  if ttl or s.ending then redis.call('PEXPIRE', s.key, math.max(math.ceil((s.expiry - s.now) / 1000), 1)) end
end

-- What the scripts say instead of a decision.
local MISSING, FOREIGN, LIMITS, CLIENT = -1, -2, -3, -4
-- open returns the states which the keys stand for, one for each limit: each stands in its limit's own key or, for a
-- limit per client, in the key behind it. It also returns the states whose settings are used; or nil and what is wrong.
local function open(now, stride, limits)
  local states, owners = {}, {}
  for i = 1, limits do
    local at = (i - 1) * stride + 1
    local s, foreign = load(KEYS[at], now)
    if foreign then return nil, FOREIGN end
    if not s then return nil, MISSING end
    if s.limits ~= limits then return nil, LIMITS, s.limits end
    if s.type == PERCLIENT then
      if stride == 1 then return nil, CLIENT end
      local own, foreign = load(KEYS[at + 1], now)
      if foreign then return nil, FOREIGN end
      if not own or own.epoch ~= s.epoch then
        own = fresh(KEYS[at + 1], s, now)
      elseif own.rate ~= s.rate or own.interval ~= s.interval or own.ttl ~= s.ttl or own.fixed ~= s.fixed then
        retire(own)
        amend(own, s)
      end
      owners[i] = s
      s = own
    end
    retire(s)
    states[i] = s
  end
  return states, owners
end

-- close writes all states of open.
local function close(states, owners)
  for i = 1, #states do
    save(states[i])
    if owners[i] then save(owners[i]) end
  end
end
