import Crypto
import Foundation
import JSON
import Testing

/// A challenge as a server sent it.
struct AskedChallenge {
    let text: String
    let difficulty: Int
    let json: JSONValue

    /// Reads the challenge from a refusal.
    init(_ answer: Answer) throws {
        try #require(answer.status == 429 && answer.code == "CHALLENGE_REQUIRED", "\(answer.text)")
        json = try #require(answer.json["error"]?["challenge"], "\(answer.text)")
        text = json["challenge"]?.string ?? ""
        difficulty = Int(json["difficulty"]?.int64 ?? 255)
    }

    /// Returns the header line with a number that solves the challenge, or with one that does not.
    func solution(isRight: Bool = true) throws -> String {
        var counter = 0
        while try (Self.zeroBits("\(text).\(counter)") >= difficulty) != isRight { counter += 1 }
        return "Challenge-Solution: \(text).\(counter)"
    }

    private static func zeroBits(_ text: String) throws -> Int {
        let digest = try sha256(Array(text.utf8))
        let zeros = digest.prefix { $0 == 0 }.count
        return zeros * 8 + (digest.dropFirst(zeros).first?.leadingZeroBitCount ?? 0)
    }
}

extension TestServer {
    /// Returns the header of a trusted proxy that forwards for a client.
    static func forwarded(_ client: String) -> String { "X-Forwarded-For: \(client)" }

    /// Signs guests up through a trusted proxy until the server requires a challenge.
    func challenge(_ call: String = "accounts:signUp", _ body: JSONValue = [:], client: String) throws -> AskedChallenge
    {
        for _ in 0..<200 {
            let answer = try self.call(call, body, headers: [Self.forwarded(client)])
            if answer.status != 200 { return try AskedChallenge(answer) }
        }
        throw HTTPConnection.Broken(description: "no challenge came")
    }
}
