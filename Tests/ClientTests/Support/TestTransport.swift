import Foundation
import LatchkeyClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Real HTTP for tests: `URLSession`, with a connection of its own for each request.
struct TestTransport: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let url = try #require(URL(string: request.url))
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        outgoing.httpBody = Data(request.body)
        outgoing.timeoutInterval = Double(request.timeout.components.seconds)
        for field in request.headers {
            outgoing.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: outgoing)
        let answer = try #require(response as? HTTPURLResponse)
        let headers = answer.allHeaderFields.map { HeaderField("\($0.key)", "\($0.value)") }
        return TransportResponse(status: answer.statusCode, headers: headers, body: [UInt8](data))
    }
}
