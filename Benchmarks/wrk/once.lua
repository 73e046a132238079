-- Posts each body of a file once and stops when none is left: wrk -s once.lua URL -- PATH CONTENT_TYPE FILE THREADS [CLIENTS]
-- With CLIENTS, the requests come from so many client addresses, for a server that trusts 127.0.0.1 as a proxy. The first 65 536
-- are each in a /24 network of their own, because the e-mails of one network wait for those of others.
-- Counts for itself, because wrk divides by the time it was told to run.
local folder = debug.getinfo(1, "S").source:match("@?(.*/)") or "./"
local now = dofile(folder .. "clock.lua")
local requests, made, begun = {}, 0, nil
own_rate = "0"

function init(args)
  local headers = { ["Content-Type"] = args[2] }
  local line_number = 0
  for line in io.lines(args[3]) do
    if line_number % tonumber(args[4]) == number then
      if args[5] then
        local client = line_number % tonumber(args[5])
        headers["X-Forwarded-For"] =
          string.format("10.%d.%d.%d", client % 256, math.floor(client / 256) % 256, math.floor(client / 65536) % 256)
      end
      requests[#requests + 1] = wrk.format("POST", args[1], headers, line)
    end
    line_number = line_number + 1
  end
end

function request()
  begun = begun or now()
  made = made + 1
  if made > #requests then
    wrk.thread:stop()
    return wrk.format("GET", "/healthz")
  end
  if made % 16 == 0 or made == #requests then own_rate = string.format("%.2f", made / (now() - begun)) end
  return requests[made]
end

dofile(folder .. "report.lua")
