-- wrk's requests: each thread cycles through the routes, from a different start.
local routes = {
  "/", "/books/1", "/books?limit=100", "/authors?include=books&books.limit=3",
  "/authors?annotate=bookCount&sort=-bookCount&limit=10", "/books?filter=year%3E1850&sort=-year&limit=20",
  "/books?include=author.country,reviews&limit=50", "/books?search=whale", "/employees?limit=5",
  "/countries?include=citizens,passports", "/books?group=kind&fields=kind,n:count()",
  "/books?limit=1000&fields=id,title", "/nowhere", "/books?filter=yaer%3D1", "/-/health", "/-/metrics",
  "/authors/1/books?count=true", "/books?explain=true&include=reviews",
}
local formats = { "application/json", "text/csv, application/json;q=0.5", "text/html, */*;q=0.5", "application/x-ndjson, */*;q=0.1" }
local number, threads = 0, 0

function setup(thread)
  thread:set("number", threads * 5)
  threads = threads + 1
end

function request()
  number = number + 1
  local headers = { Accept = formats[number % 29 % 4 + 1] }
  if number % 3 == 0 then headers["Accept-Encoding"] = "gzip" end
  -- Some requests need a plan that isn't in the cache.
  local route = number % 11 == 0 and "/books?limit=1&filter=id%3D" .. number .. "&sort=" .. string.rep("-", number % 2) .. "title" or routes[number % #routes + 1]
  return wrk.format("GET", route, headers)
end
