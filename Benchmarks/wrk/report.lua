-- Numbers the threads, and prints what wrk measured as one line of JSON. Every other script here ends by loading this one.
--
-- With PACE in the environment, so many requests begin each second on each thread, however long answers take: an open loop. A
-- request that no connection is free for begins late, and is counted, because its wait is not in the latencies.
local folder = debug.getinfo(1, "S").source:match("@?(.*/)") or "./"
local now = dofile(folder .. "clock.lua")
local pace = tonumber(os.getenv("PACE"))
local due
late = 0

local threads = {}
function setup(thread)
  thread:set("number", #threads)
  threads[#threads + 1] = thread
end

if pace then
  -- The milliseconds until a free connection sends its next request. wrk's timers know whole milliseconds only.
  function delay()
    local moment = now()
    due = (due or moment) + 1 / pace
    if due < moment - 0.001 then late = late + 1 end
    return math.max(0, math.floor((due - moment) * 1000))
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  local rate, all_late = 0, 0
  for _, thread in ipairs(threads) do
    -- Scripts that stop early say themselves how many requests they made in what time.
    rate = rate + (tonumber(thread:get("own_rate")) or 0)
    all_late = all_late + thread:get("late")
  end
  if rate == 0 then rate = summary.requests / (summary.duration / 1e6) end
  io.write(string.format(
    'RESULT {"requests": %d, "rate": %.1f, "p50": %.1f, "p99": %.1f, "max": %.1f, "status": %d, "socket": %d, "late": %d}\n',
    summary.requests, rate, latency:percentile(50), latency:percentile(99), latency.max,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, all_late))
end
