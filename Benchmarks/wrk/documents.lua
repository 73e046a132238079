-- Sets or reads random documents: wrk -s documents.lua URL -- PUT|GET FILE
-- Each line of the file is a token, a space and the paths of its user's documents. Whatever is set differs from what was there.
local folder = debug.getinfo(1, "S").source:match("@?(.*/)") or "./"
local method, documents = "GET", {}

-- About 200 bytes. The number has as many digits from the first to the last.
local before, made, after = '{"number":', 1000000000, ',"text":"' .. string.rep("All work and no play. ", 8) .. '"}'

function init(args)
  method = args[1]
  local body = method == "PUT" and before .. made .. after or nil
  for line in io.lines(args[2]) do
    local words = line:gmatch("%S+")
    local headers = { ["Authorization"] = "Bearer " .. words(), ["Content-Type"] = "application/json" }
    for path in words do
      local request = wrk.format(method, path, headers, body)
      documents[#documents + 1] = body and request:sub(1, #request - #body) or request
    end
  end
  -- Each thread goes a way of its own.
  math.randomseed(os.time() * 64 + number)
end

function request()
  local head = documents[math.random(#documents)]
  if method ~= "PUT" then return head end
  made = made + 1
  return head .. before .. made .. after
end

dofile(folder .. "report.lua")
