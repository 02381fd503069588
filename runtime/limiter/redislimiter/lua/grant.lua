-- This stands in front of the rest of acquire.lua and decides what is plain, in a few calls and without making a function;
-- what it leaves to the rest comes to the same. ARGV in short, for one limit and equal requests: the permits of one, their
-- number if it is not 1, and the time if it is not the server's.
--
-- What is back is retired only where a grant or a new entry needs the room, and from the next few entries.
if #ARGV < 4 then
  local key, n, requests, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2] or 1), ARGV[3]
  if now then
    now = tonumber(now)
  else
    local t = redis.call('TIME')
    now = t[1] * 1000000 + t[2]
  end
  local raw = redis.call('GETRANGE', key, 0, 116)
  if #raw == 117 then
    local magic, from, to, newest, ceiling, count = struct.unpack('<c4I7I7I7I5I5', raw)
    local plain = magic == 'rlm\001' and now >= from
    if plain and now < to and count + n * requests <= ceiling then
      redis.call('SETRANGE', key, 30, struct.pack('<I5', count + n * requests))
      return newest
    end
    local base, oldest, first, closed, capacity, due, offset = struct.unpack('<I5I7I2I2I2I7I7', raw, 36)
    local rate, interval, width = struct.unpack('<I5I7I7', raw, 85)
    if plain and now < due and n <= rate and base <= count and count + rate < 1099511627776 then
      local at = now + offset
      local edge = at - interval
      local stamp = width == 0 and at - at % 1000 or at - at % width + width
      local entries, some, i = '', 0, 0 -- i of some entries are back
      if count == base or newest <= edge then
        base, first, closed, oldest, newest = count, 0, 0, stamp, stamp
      elseif closed > 0 and (count + n * requests > base + rate or closed == capacity and stamp > newest) then
        some = math.min(8, closed, capacity - first)
        entries = redis.call('GETRANGE', key, 117 + first * 12, 116 + (first + some) * 12)
        if #entries < some * 12 then some = 0 end
        local taken
        while i < some do
          oldest, taken = struct.unpack('<I7I5', entries, i * 12 + 1)
          if oldest > edge then break end
          base, i = taken, i + 1
        end
        first, closed = (first + i) % capacity, closed - i
        if closed == 0 then oldest = newest end
      end
      local fit = math.min(math.max(math.floor((base + rate - count) / n), 0), requests)
      local last = math.max(newest, stamp)
      local wait = fit == requests and 0
      if not wait and oldest > edge then -- it is told if what the next request waits for has been read
        local lacks, rest, back, taken = count + (fit + 1) * n - base - rate, closed
        while not wait and i < some do
          back, taken = struct.unpack('<I7I5', entries, i * 12 + 1)
          if taken - base >= lacks then wait = back + interval - at end
          i, rest = i + 1, rest - 1
        end
        if not wait and rest == 0 then
          wait = (count - base >= lacks and newest or last) + interval - at
        end
      end
      if wait and (fit == 0 or last == newest or closed < capacity) then
        if fit > 0 then
          if last > newest then
            redis.call('SETRANGE', key, 117 + (first + closed) % capacity * 12, struct.pack('<I7I5', newest, count))
            closed = closed + 1
          end
          to = math.min((width == 0 and last + 1000 or last) - offset, due)
          redis.call('SETRANGE', key, 4, struct.pack('<I7I7I7I5I5I5I7I2I2', now, to, last, base + rate, count + fit * n, base,
            oldest, first, closed))
          newest = last
        end
        if fit == requests then return newest end
        return {fit, wait, rate, newest}
      end
    end
  end
end
