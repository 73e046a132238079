import Files
import Foundation
import Testing

@Suite("New files")
struct NewFileTests {
    /// Runs a body with a path in a new folder.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-files-\(UUID().uuidString)").path
        try Folder.make(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/file")
    }

    private func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func names(beside path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Folder.parent(of: path)).sorted()
    }

    @Test(arguments: [nil, "draft"])
    func `gets its name once it is complete, and mode 0600`(draft: String?) throws {
        try inFolder { path in
            do {
                var file = try NewFile(path, draft: draft.map { "\(path).\($0)" })
                try file.write(Array("first ".utf8))
                #expect(content(path) == nil)
                try file.write(Array("second".utf8))
                #expect(try file.publish(replacing: false))
            }
            #expect(content(path) == "first second")
            #expect(try mode(path) == 0o600)
            #expect(try names(beside: path) == ["file"])
        }
    }

    @Test
    func `an abandoned new file leaves nothing`() throws {
        try inFolder { path in
            do { try NewFile(path).write([1, 2, 3]) }
            #expect(try names(beside: path) == [])
        }
    }

    @Test(arguments: [true, false])
    func `replaces a file only if it may`(replacing: Bool) throws {
        try inFolder { path in
            try Data("old".utf8).write(to: URL(filePath: path))
            do {
                var file = try NewFile(path)
                try file.write(Array("new".utf8))
                #expect(try file.publish(replacing: replacing) == replacing)
            }
            #expect(content(path) == (replacing ? "new" : "old"))
            #expect(try names(beside: path) == ["file"])
        }
    }

    @Test
    func `a draft that a killed process left is emptied, and gets mode 0600`() throws {
        try inFolder { path in
            let draft = path + ".partial"
            try Data("left behind".utf8).write(to: URL(filePath: draft))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: draft)
            do {
                var file = try NewFile(path, draft: draft)
                try file.write(Array("x".utf8))
                _ = try file.publish(replacing: false)
            }
            #expect(content(path) == "x")
            #expect(try mode(path) == 0o600)
        }
    }

    @Test
    func `a symbolic link in the draft's place is not followed`() throws {
        try inFolder { path in
            let draft = path + ".partial", victim = path + ".victim"
            try Data("precious".utf8).write(to: URL(filePath: victim))
            try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: victim)
            #expect(throws: FileError.self) { _ = try NewFile(path, draft: draft) }
            #expect(content(victim) == "precious")
        }
    }

    @Test
    func `missing folders are made for their owner only`() throws {
        try inFolder { path in
            try Folder.make(path + "/a/b")
            #expect(try mode(path + "/a") == 0o700 && mode(path + "/a/b") == 0o700)
            let error = #expect(throws: FileError.self) { _ = try NewFile(path + "/missing/file") }
            #expect(error?.step == "create" && error?.reason == "No such file or directory")
        }
    }
}
