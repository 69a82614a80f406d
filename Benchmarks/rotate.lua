-- For wrk: `{id}` in the path and in the content goes through 1 to 1000; with a content, requests are POSTs of JSON, and
-- with a method they have none. The end is one line that a program can read.
local requests, number = {}, 0

function init(arguments)
  local path, content, method = arguments[1], arguments[2], arguments[3]
  if method then content = nil end
  local count = (path .. (content or "")):find("{id}", 1, true) and 1000 or 1
  for i = 1, count do
    local id = tostring(i * 7 % 1000 + 1)
    local target = path:gsub("{id}", id)
    if content then
      requests[i] = wrk.format("POST", target, { ["Content-Type"] = "application/json" }, (content:gsub("{id}", id)))
    else
      requests[i] = wrk.format(method or "GET", target)
    end
  end
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
