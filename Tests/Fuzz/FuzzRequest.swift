internal import Accounts
internal import HTTPServer
internal import JSON
internal import Server

private let world = must { try RequestWorld() }

/// Any request, through the router, the endpoint and a transaction.
///
/// The answer is well-formed, and never reports a server error. The input is a request as people write it: method and
/// target, header fields, an empty line, the body.
func fuzzRequest(_ bytes: [UInt8]) {
    guard let request = request(World.fill(bytes)) else { return }
    let response: Response
    do {
        response = try world.router.handle(request).finish()
    } catch {
        response = world.services.errorResponse(error, request)
        // 501 is the contract's answer to known calls that are not built (1.5).
        claim(response.status < 500 || response.status == 501, "\(error)")
    }
    claim(response.status < 500 || response.status == 501, "a bare \(response.status)")
    for (name, value) in response.headers {
        claim(!(name + value).utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a broken field \(name)")
    }
    if let location = response.header("Location") {
        claim(location.lowercased().hasPrefix("https://app.example.com"), "a redirect to \(location)")
    }
    if response.header("Content-Type")?.hasPrefix("application/json") == true {
        claim((try? JSONValue.parse(response.body).object) != nil, "a body that is no JSON object")
    }
}

private func request(_ bytes: [UInt8]) -> Request? {
    var rest = bytes[...]
    func line() -> String {
        let line = rest.prefix { $0 != 10 }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
    }
    let start = line().split(separator: " ", maxSplits: 1).map(String.init)
    // The requests that libmicrohttpd and HeadCheck accept.
    guard start.count == 2, start[1].utf8.first == UInt8(ascii: "/"),
        start[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else { return nil }
    var headers = [(name: "Host", value: "localhost")]
    while headers.count < 20 {
        let field = line()
        guard let colon = field.firstIndex(of: ":") else { break }
        headers.append((String(field[..<colon]), String(field[field.index(after: colon)...].drop { $0 == " " })))
    }
    return Request(method: Method(rawValue: start[0]), target: start[1], headers: headers, body: Array(rest))
}
