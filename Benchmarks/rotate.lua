-- For wrk: `{id}` in the path goes through 1 to 1000; the end is one line that a program can read.
local requests, number = {}, 0

function init(arguments)
  local path = arguments[1]
  local count = path:find("{id}", 1, true) and 1000 or 1
  for i = 1, count do requests[i] = wrk.format("GET", (path:gsub("{id}", tostring(i * 7 % 1000 + 1)))) end
end

function request()
  number = number % #requests + 1
  return requests[number]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
