-- Exchanges refresh tokens, following their rotation: wrk -s refresh.lua URL -- PATH FILE THREADS
-- Each thread has tokens of its own, more than connections; the one that comes back goes to the end of its line.
local folder = debug.getinfo(1, "S").source:match("@?(.*/)") or "./"

local tokens, first, last = {}, 1, 0
local head

function init(args)
  local line_number = 0
  for line in io.lines(args[2]) do
    if line_number % tonumber(args[3]) == number then
      last = last + 1
      tokens[last] = line
    end
    line_number = line_number + 1
  end
  local body = "grant_type=refresh_token&refresh_token=" .. tokens[1]
  head = wrk.format("POST", args[1], { ["Content-Type"] = "application/x-www-form-urlencoded" }, body)
  head = head:sub(1, #head - #tokens[1])
end

function request()
  -- All tokens are on their way only if answers got lost; then one goes twice, which the server allows.
  if first > last then first = last end
  local token = tokens[first]
  if first < last then tokens[first] = nil end
  first = first + 1
  return head .. token
end

function response(status, headers, body)
  if status ~= 200 then return end
  local _, start = body:find('"refresh_token":"', 1, true)
  if not start then return end
  last = last + 1
  tokens[last] = body:sub(start + 1, body:find('"', start + 1, true) - 1)
end

dofile(folder .. "report.lua")
