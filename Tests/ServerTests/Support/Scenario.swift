import JSON
import Testing

/// One call with the expected properties of its answer.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    var call = "accounts:signUp"
    var body = "{}"
    var headers: [String] = []
    /// The query after the path.
    var query = "?key=k"
    let status: Int
    /// The expected start of `error.message`.
    var code = ""
    /// Names that the body's object must have.
    var present: [String] = []
    /// Names that the body's object must not have.
    var absent: [String] = []

    var testDescription: String { name }

    /// Makes the call and checks the answer.
    func check(_ server: TestServer) throws {
        let answer = try server.send("POST", "/v1/\(call)\(query)", headers: headers, body: Array(body.utf8))
        #expect(answer.status == status, "\(name): \(answer.text)")
        if !code.isEmpty { #expect(answer.message.hasPrefix(code), "\(name): \(answer.text)") }
        for key in present { #expect(answer.keys.contains(key), "\(name): \(key) is missing") }
        for key in absent { #expect(!answer.keys.contains(key), "\(name): \(key) is there") }
    }
}
