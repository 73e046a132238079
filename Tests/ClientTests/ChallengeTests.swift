import Foundation
import JSON
import Synchronization
import Testing

@testable import LatchkeyClient

@Suite("Proof of work", .timeLimit(.minutes(2))) struct ChallengeTests {
    private static let text = String(repeating: "A", count: 76)

    private static func hex(_ digest: SIMD8<UInt32>) -> String {
        (0..<8).map { String(format: "%08x", digest[$0]) }.joined()
    }

    /// The vectors of FIPS 180-4 (as published by NIST), and lengths around a block.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `SHA-256 gives the published digests, wherever the message is cut`(message: String, digest: String) {
        let bytes = Array(message.utf8)
        for cut in 0...bytes.count {
            var hash = SHA256()
            hash.append(bytes[..<cut])
            #expect(Self.hex(hash.digest(appending: bytes[cut...])) == digest)
            #expect(Self.hex(hash.digest(appending: bytes[cut...])) == digest, "a digest changes nothing")
        }
    }

    @Test func `SHA-256 of a million letters is the published digest`() {
        var hash = SHA256()
        hash.append(repeatElement(UInt8(ascii: "a"), count: 1_000_000))
        #expect(
            Self.hex(hash.digest(appending: [UInt8]()))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
    }

    /// The vectors of docs/api.md.
    @Test(arguments: [(8, 130), (12, 2_607), (16, 32_410)])
    func `the first number that solves a challenge is found`(difficulty: Int, counter: Int) async throws {
        let challenge = Challenge(algorithm: "SHA-256", challenge: Self.text, difficulty: difficulty)
        #expect(try await challenge.solved() == "\(Self.text).\(counter)")
    }

    @Test func `a cancelled task stops computing`() async throws {
        let endless = Challenge(algorithm: "SHA-256", challenge: Self.text, difficulty: 32)
        let task = Task { try await endless.solved() }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await code { try await task.value } == .cancelled)
    }

    private static func refusal(_ difficulty: Int, algorithm: String = "SHA-256") -> ScriptedServer.Reply {
        .json(
            #"{"error":{"code":429,"message":"CHALLENGE_REQUIRED : Solve it.","errors":[],"challenge":{"#
                + #""algorithm":"\#(algorithm)","challenge":"\#(text)","difficulty":\#(difficulty),"#
                + #""expiresAt":"2026-11-22T10:00:00.000Z"}}}"#,
            status: 429
        )
    }

    @Test func `a sign-up and a request for a mail solve what the server asks for`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:lookup": Wire.user(uid: "u1")
            case _ where request.headers["challenge-solution"] != "\(Self.text).2607": Self.refusal(12)
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            default: .json(#"{"email":"a@b.c","ticket":"t","confirmation":"42"}"#)
            }
        }
        let auth = try makeAuth(server.url)
        #expect(try await auth.signInAnonymously().user.uid == "u1")
        #expect(try await auth.sendSignInLink(to: "a@b.c").ticket == "t")
        let signUps = server.requests(for: ":signUp")
        #expect(signUps.count == 2)
        #expect(Set(signUps.map { $0.headers["idempotency-key"] }).count == 1, "the same sign-up")
        #expect(server.requests(for: ":sendOobCode").count == 2)
    }

    @Test func `a server that asks again and again, or for too much, gets no more work`() async throws {
        for (reply, tries) in [
            (Self.refusal(1), 4), (Self.refusal(25), 1), (Self.refusal(-1), 1), (Self.refusal(1, algorithm: "MD5"), 1),
        ] {
            let server = try ScriptedServer { _ in reply }
            let auth = try makeAuth(server.url)
            do {
                _ = try await auth.sendSignInLink(to: "a@b.c")
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.code == .tooManyRequests)
                #expect(error.serverCode == "CHALLENGE_REQUIRED")
            }
            #expect(server.requests.count == tries)
        }
    }

    @Test func `an error is read whatever stands in its challenge`() async throws {
        for member in ["null", "17", #""text""#, "{}", #"{"algorithm":"SHA-256"}"#] {
            let server = try ScriptedServer { _ in
                .json(#"{"error":{"code":400,"message":"INVALID_EMAIL","challenge":\#(member)}}"#, status: 400)
            }
            let auth = try makeAuth(server.url)
            #expect(await code { try await auth.sendSignInLink(to: "a@b.c") } == .invalidEmail, "\(member)")
        }
    }

    @Test func `a caller who is cancelled stops the work, and the next call goes on`() async throws {
        let isHard = Mutex(true)
        let server = try ScriptedServer { request in
            if isHard.withLock({ $0 }) { return Self.refusal(24) }
            return .json(#"{"email":"a@b.c","ticket":"t","confirmation":"42"}"#)
        }
        let auth = try makeAuth(server.url)
        let task = Task { try await auth.sendSignInLink(to: "a@b.c") }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        #expect(await code { try await task.value } == .cancelled)
        isHard.withLock { $0 = false }
        #expect(try await auth.sendSignInLink(to: "a@b.c").ticket == "t")
    }
}
