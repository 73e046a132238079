-- Prints what wrk measured as one line of JSON, for Benchmarks/run. Every other script here ends by loading this one.
function done(summary, latency, requests)
  local errors = summary.errors
  -- Scripts that stop early say themselves how many requests they made in what time.
  local rate = summary.requests / (summary.duration / 1e6)
  if threads then
    rate = 0
    for _, thread in ipairs(threads) do rate = rate + (tonumber(thread:get("own_rate")) or 0) end
  end
  io.write(string.format(
    'RESULT {"requests": %d, "rate": %.1f, "p50": %.1f, "p99": %.1f, "max": %.1f, "status": %d, "socket": %d}\n',
    summary.requests, rate, latency:percentile(50), latency:percentile(99), latency.max,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
