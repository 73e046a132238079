import Foundation
import Testing
import Tokens

@Suite("Server secrets") struct ServerSecretsTests {
    @Test(arguments: ["", " ", "\n\t ,, \r\n"])
    func `no secret is refused`(_ text: String) {
        #expect(throws: SecretError.empty) { try ServerSecrets(text: text) }
    }

    @Test func `a short secret is refused by its number, never shown`() throws {
        let short = String(oneSecret.dropLast())
        let error = #expect(throws: SecretError.tooShort(number: 2, length: 31)) { try secrets(oneSecret, short) }
        #expect(error.map { "\($0)".contains(short) } == false)
        #expect(throws: SecretError.tooShort(number: 1, length: 31)) { try ServerSecrets(text: short) }
        #expect(throws: SecretError.tooMany(17)) {
            try ServerSecrets(text: (10..<27).map { oneSecret + "\($0)" }.joined(separator: ","))
        }
    }

    @Test(arguments: [",", " ", "\n", ", ", "\r\n", "\t"])
    func `several secrets are separated by white space or commas`(_ separator: String) throws {
        let several = try ServerSecrets(text: oneSecret + separator + otherSecret + separator)
        #expect(several.all.count == 2)
        #expect(try several.newest.keyID == secrets(oneSecret).newest.keyID)
    }

    @Test func `the same secret twice counts once`() throws {
        #expect(try secrets(oneSecret, oneSecret, otherSecret).all.count == 2)
    }

    @Test func `secrets print as redacted`() throws {
        let some = try secrets(oneSecret)
        var dumped = ""
        dump(some, to: &dumped)
        for text in ["\(some)", String(reflecting: some), "\(some.newest)", dumped] {
            #expect(text.contains("<redacted>"))
            #expect(!text.contains(oneSecret))
        }
    }

    @Test func `a created file holds one secret, for its owner only`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/secret"
            let first = try SecretFile.loadOrCreate(path)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.utf8.count == 44 && text.hasSuffix("\n"))
            // The same file returns the same secret again.
            let token = try TicketToken.make(id: id(1), secrets: first)
            #expect(try TicketToken.verify(token, secrets: SecretFile.loadOrCreate(path)) != nil)
            #expect(try TicketToken.verify(token, secrets: SecretFile.load(path)) != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["secret"], "no draft is left")
            // A missing folder is created, for its owner only.
            _ = try SecretFile.loadOrCreate(folder + "/data/secret")
            let made = try FileManager.default.attributesOfItem(atPath: folder + "/data")
            #expect(made[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func `many that create the file at once agree on one secret`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/secret"
            let tokens = Results()
            DispatchQueue.concurrentPerform(iterations: 16) { _ in
                tokens.append(Result { try TicketToken.make(id: id(1), secrets: SecretFile.loadOrCreate(path)) })
            }
            let made = try tokens.all.map { try $0.get() }
            #expect(made.count == 16 && Set(made).count == 1)
        }
    }

    @Test(arguments: [0o604, 0o640, 0o660, 0o602, 0o644, 0o666, 0o601])
    func `a file that others may read or change is refused, naming the fix`(_ mode: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/secret"
            _ = try SecretFile.loadOrCreate(path)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: SecretError.tooOpen(path: path, mode: UInt32(mode))) {
                try SecretFile.load(path)
            }
            #expect(error.map { "\($0)".contains("chmod 600 '\(path)'") } == true)
        }
    }

    @Test func `a missing, empty, huge or irregular file is refused`() throws {
        try withTemporaryFolder { folder in
            #expect(throws: SecretError.self) { try SecretFile.load(folder + "/missing") }
            #expect(throws: SecretError.notAFile(path: folder)) { try SecretFile.load(folder) }
            #expect(throws: SecretError.notAFile(path: "/dev/null")) { try SecretFile.load("/dev/null") }
            #expect(throws: SecretError.self) { try SecretFile.loadOrCreate(folder + "/missing/folders/secret") }
            let path = folder + "/secret"
            try write("", to: path)
            #expect(throws: SecretError.empty) { try SecretFile.loadOrCreate(path) }
            try write(String(repeating: "x", count: 70_000), to: path)
            #expect(throws: SecretError.tooLarge(path: path)) { try SecretFile.load(path) }
            try write("\(otherSecret)\n\(oneSecret)\n", to: path)
            #expect(try SecretFile.load(path).all.count == 2)
        }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}

/// Collects the results of several threads.
private final class Results: @unchecked Sendable {  // guarded by the lock
    private let lock = NSLock()
    private var results: [Result<String, any Error>] = []

    func append(_ result: Result<String, any Error>) {
        lock.withLock { results.append(result) }
    }

    var all: [Result<String, any Error>] {
        lock.withLock { results }
    }
}
