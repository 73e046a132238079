import Server
import Testing

extension TestServer {
    /// Scrapes the listener of the setting `metricsListen`.
    ///
    /// - Returns: the answer, and its series by name and labels.
    func metrics(_ headers: [String] = []) throws -> (answer: Answer, series: [String: Double]) {
        let answer = try Self.get("/metrics", Self.port(of: instance.metricsListener), headers)
        var series: [String: Double] = [:]
        for line in answer.text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            let name = String(line[..<space])
            #expect(series[name] == nil, "\(name) is there twice")
            series[name] = Double(line[line.index(after: space)...])
        }
        return (answer, series)
    }

    /// Gets a path from a port of loopback.
    static func get(_ path: String, _ port: UInt16, _ headers: [String] = []) throws -> Answer {
        let connection = try HTTPConnection(port: port)
        try connection.send(request("GET", path, headers: headers, body: []))
        return try connection.answer()
    }

    /// Returns the port of a listener's URL.
    static func port(of listener: String?) throws -> UInt16 {
        let listener = try #require(listener)
        return try #require(UInt16(listener.split(separator: ":").last ?? ""))
    }
}
