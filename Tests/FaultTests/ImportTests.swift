import Foundation
import JSON
import Testing

extension SlowFaultTests {
    /// The command on long files, with various faults during the import.
    @Suite("Imports of long files") struct ImportTests {
        static let count = Depth.times(8000, full: 1_000_000)
        let folder: Folder

        init() throws {
            folder = try Folder()
        }

        /// Writes a Firebase export: guests, addresses and providers, in the order of their UIDs.
        private func write(_ count: Int, to name: String) throws -> String {
            let path = folder(name)
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            let file = try #require(FileHandle(forWritingAtPath: path))
            defer { try? file.close() }
            var text = "{\"users\": [\n"
            for number in 0..<count {
                let uid = "u" + String(String(1_000_000_000 + number).dropFirst())
                let times = #""lastSignedInAt":"1600000000000","createdAt":"1500000000000""#
                switch number % 3 {
                case 0: text += #"{"localId":"\#(uid)",\#(times),"providerUserInfo":[]}"#
                case 1:
                    text += #"{"localId":"\#(uid)","email":"\#(uid)@example.com","emailVerified":true,"#
                    text += #""passwordHash":"aGFzaA==","salt":"c2FsdA==",\#(times),"providerUserInfo":[]}"#
                default:
                    text += #"{"localId":"\#(uid)","displayName":"Somebody",\#(times),"providerUserInfo":"#
                    text += #"[{"providerId":"google.com","rawId":"g\#(uid)","email":"\#(uid)@gmail.com"}]}"#
                }
                text += number == count - 1 ? "\n]}\n" : ",\n"
                guard text.utf8.count > 1 << 20 || number == count - 1 else { continue }
                try file.write(contentsOf: Data(text.utf8))
                text = ""
            }
            return path
        }

        private var environment: [String: String] { TestedServer.environment(folder) }

        private func importing(_ path: String) async throws -> (status: Int32, report: JSONValue, errors: String) {
            let result = try await Program.run(
                ["import", "firebase", path, "--json"],
                environment: environment,
                in: folder,
                within: Depth.isFull ? 600 : 120
            )
            return (result.status, try JSONValue.parse(result.output), result.errors)
        }

        @Test func `a file that is cut in the middle is imported up to there, in little memory`() async throws {
            let path = try write(Self.count, to: "users.json")
            let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            let cut = folder("cut.json")
            try FileManager.default.copyItem(atPath: path, toPath: cut)
            let middle = UInt64(size / 2) / 7 * 7 + 3
            let file = try #require(FileHandle(forUpdatingAtPath: cut))
            try file.truncate(atOffset: middle)
            try file.close()

            let program = try Program(["import", "firebase", cut, "--json"], environment: environment, in: folder)
            var most = 0
            _ = try await eventually(within: 600, "the end of the import") { () -> Int32? in
                most = max(most, Self.peakMemory(program.pid) ?? 0)
                return program.status
            }
            #expect(try await program.end() == 1)
            let report = try JSONValue.parse(program.output.joined())
            let stored = try #require(report["created"]?.int64)
            #expect(stored > Int64(Self.count / 3) && report["stopped"]?["users"]?.int64 == stored)
            #expect(
                report["stopped"]?["reason"]?.string == "the file ends inside user \(stored + 1), at byte \(middle)"
            )
            let error = try JSONValue.parse(program.errors.joined())["error"]
            #expect(error?["code"] == "stopped")
            #expect(most > 0 && most < 100 << 10, "\(most) KiB, however long the file is")

            // The whole file again imports the rest, and nothing twice.
            let again = try await importing(path)
            #expect(again.status == 0 && again.errors.isEmpty)
            #expect(again.report["kept"]?.int64 == stored)
            #expect(again.report["created"]?.int64 == Int64(Self.count) - stored)
            try checkIntegrity(folder)
        }

        @Test func `an import that is killed loses nothing that it stored, and goes on when repeated`() async throws {
            let count = Depth.times(6000, full: 100_000)
            let path = try write(count, to: "users.json")
            for round in 1...Depth.times(2, full: 10) {
                let program = try Program(["import", "firebase", path], environment: environment, in: folder)
                try await Task.sleep(for: .milliseconds(300 * round))
                program.signal(SIGKILL)
                _ = try await program.end()
            }
            let rest = try await importing(path)
            #expect(rest.status == 0)
            let kept = try #require(rest.report["kept"]?.int64), created = try #require(rest.report["created"]?.int64)
            #expect(kept + created == Int64(count))
            let export = folder("export.json")
            let result = try await Program.run(["export", export], environment: environment, in: folder)
            #expect(result.status == 0 && result.output == "Wrote \(count) users to \(export).")
            let mode = try FileManager.default.attributesOfItem(atPath: export)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let again = try await Program.run(["export", export], environment: environment, in: folder)
            #expect(again.status == 1 && again.errors.contains("already exists"))
            let forced = try await Program.run(["export", export, "--force"], environment: environment, in: folder)
            #expect(forced.status == 0)
            try checkIntegrity(folder)
        }

        @Test func `a server goes on signing people up beside an import`() async throws {
            let path = try write(Depth.times(20_000, full: 200_000), to: "users.json")
            let server = try await TestedServer.start(in: folder)
            let caller = try server.caller()
            _ = try await caller.signUp()
            let program = try Program(["import", "firebase", path, "--json"], environment: environment, in: folder)
            var longest = Duration.zero, count = 0
            let start = ContinuousClock.now
            while program.status == nil {
                let begun = ContinuousClock.now
                _ = try await caller.signUp()
                longest = max(longest, .now - begun)
                count += 1
            }
            let total = ContinuousClock.now - start
            #expect(program.status == 0)
            // On a slow machine a sign-up takes longer than 4 s, but it never waits for half of the import.
            let limit = max(Duration.seconds(4), total / 2)
            #expect(count > 5 && longest < limit, "\(count) sign-ups, at most \(longest)")
            #expect(try await server.stop() == 0)
            #expect(!server.program.errors.joined().contains("request.failed"))
            try checkIntegrity(folder)
        }

        @Test func `what cannot be read or written is said`() async throws {
            let missing = try await Program.run(
                ["import", "firebase", folder("none")],
                environment: environment,
                in: folder
            )
            #expect(missing.status == 1 && missing.errors.contains("cannot be read"))
            let nowhere = try await Program.run(["export", folder("none/x")], environment: environment, in: folder)
            #expect(nowhere.status == 1 && nowhere.errors.contains("cannot be written"))
            let path = folder("some.json")
            try Data(#"{"users":[{"localId":"a","email":"@"},{"localId":"b"}]}"#.utf8).write(to: URL(filePath: path))
            let some = try await Program.run(["import", "firebase", path], environment: environment, in: folder)
            #expect(some.status == 1)
            #expect(
                some.output == """
                    Read 2 users, imported 1; 1 of them guests.
                    Not imported: 1 user – email is invalid
                      user 1 (a)
                    """
            )
            #expect(some.errors.contains("1 user not imported"))
            let stream = try await Program.run(["export", "-"], environment: environment, in: folder)
            #expect(stream.status == 0)
            #expect(try JSONValue.parse(stream.output)["users"]?.array?.first?["localId"] == "b")
        }

        /// The peak memory of a process, in KiB.
        private static func peakMemory(_ pid: Int32) -> Int? {
            guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
            else { return nil }
            return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
        }
    }
}
