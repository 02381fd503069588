-- KEYS: as for acquire. ARGV: time, stride, limits, permits, and of each limit the stamp with which they were taken, or 0
-- for the newest. Returns how many were given back.
local states, owners, more = open(instant(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
if not states then return {owners, more} end
local n, given = tonumber(ARGV[4]), ROUND

-- newest gives back what was taken last.
local function newest(s, n)
  n = math.min(n, s.used)
  if n == 0 then return 0 end
  local rest = s.used - n
  local i = search(s, function(_, taken) return taken < rest end)
  if i < s.closed and rest > 0 then
    local stamp = entry(s, i)
    if stamp then s.newest, s.closed = stamp, i end
  elseif rest == 0 then
    s.closed = 0
  end
  s.used, s.count, s.dirty, s.cache = rest, (s.base + rest) % ROUND, true, nil
  return n
end

-- exact gives back what was taken with a stamp, as far as it is not back anyway.
local function exact(s, n, stamp)
  if s.used == 0 or stamp <= s.now - s.interval then return 0 end
  local i = search(s, function(at) return at < stamp end)
  local before = 0
  if i > 0 then
    local _, count = entry(s, i - 1)
    before = (count - s.base) % ROUND
  end
  if i == s.closed then
    if s.newest ~= stamp then return 0 end
    n = math.min(n, s.used - before)
  else
    local at, count = entry(s, i)
    if at ~= stamp then return 0 end
    n = math.min(n, (count - s.base) % ROUND - before)
    local raw = ring(s)
    if raw == '' then return 0 end
    local parts = {raw:sub(1, i * ENTRY)}
    for j = i, s.closed - 1 do
      local at, count = struct.unpack('<I7I5', raw, j * ENTRY + 1)
      parts[#parts + 1] = struct.pack('<I7I5', at, (count - n) % ROUND)
    end
    s.ring, s.first, s.changed = table.concat(parts), 0, true
  end
  s.used, s.count, s.dirty, s.cache = s.used - n, (s.count - n) % ROUND, true, nil
  return n
end

for i = 1, #states do
  local stamp = tonumber(ARGV[4 + i] or 0)
  if stamp == 0 then
    given = math.min(given, newest(states[i], n))
  else
    given = math.min(given, exact(states[i], n, stamp))
  end
end
close(states, owners)
return {0, given}
