import Crypto
import Foundation
import JSON
import Testing

/// A challenge as a server asked for it.
struct AskedChallenge {
    let text: String
    let difficulty: Int
    let json: JSONValue

    /// Reads it from a refusal.
    init(_ answer: Answer) throws {
        try #require(answer.status == 429 && answer.code == "CHALLENGE_REQUIRED", "\(answer.text)")
        json = try #require(answer.json["error"]?["challenge"], "\(answer.text)")
        text = json["challenge"]?.string ?? ""
        difficulty = Int(json["difficulty"]?.int64 ?? 255)
    }

    /// The header line with a number that solves it, or with one that does not.
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
    /// Headers of a trusted proxy that speaks for a client.
    static func forwarded(_ client: String) -> String { "X-Forwarded-For: \(client)" }

    /// Signs guests up by way of a trusted proxy until a challenge is asked for.
    func challenge(_ call: String = "accounts:signUp", _ body: JSONValue = [:], client: String) throws -> AskedChallenge
    {
        for _ in 0..<200 {
            let answer = try self.call(call, body, headers: [Self.forwarded(client)])
            if answer.status != 200 { return try AskedChallenge(answer) }
        }
        throw HTTPConnection.Broken(description: "no challenge came")
    }
}
