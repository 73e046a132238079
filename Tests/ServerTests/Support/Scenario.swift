import JSON
import Testing

/// One call with what its answer must and must not hold.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    var call = "accounts:signUp"
    var body = "{}"
    var headers: [String] = []
    /// The query behind the path.
    var query = "?key=k"
    let status: Int
    /// What `error.message` begins with.
    var code = ""
    /// Keys of the body's object that must be there.
    var present: [String] = []
    /// Keys of the body's object that must not be there.
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
