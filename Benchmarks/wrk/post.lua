-- Posts the bodies of a file, line after line and again from its start: wrk -s post.lua URL -- PATH CONTENT_TYPE FILE [X_CLIENT_VERSION]
local folder = debug.getinfo(1, "S").source:match("@?(.*/)") or "./"
local requests, next_request = {}, 0

function init(args)
  local headers = { ["Content-Type"] = args[2], ["X-Client-Version"] = args[4] }
  for line in io.lines(args[3]) do
    requests[#requests + 1] = wrk.format("POST", args[1], headers, line)
  end
  next_request = math.random(#requests)
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

dofile(folder .. "report.lua")
