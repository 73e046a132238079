import Accounts
import Database
import JSON
import Testing

/// Long random sequences of writes against a plain model in memory.
@Suite("Documents against a model")
struct DocumentModelTests {
    /// The expected state of a user.
    private struct Model: Equatable {
        struct Stored: Equatable {
            var content: JSONValue
            var version: Int64
        }

        var documents: [DocumentName: Stored] = [:]
        var changes: [DocumentName] = []

        var bytes: Int { documents.values.reduce(0) { $0 + $1.content.serialized().count } }

        /// Applies all writes, or none if a precondition does not hold or a limit is exceeded.
        mutating func write(_ writes: [DocumentWrite], within limits: DocumentLimits) throws {
            var next = self
            for write in writes {
                let before = next.documents[write.name]
                guard write.precondition.holds(for: before?.version) else { return }
                switch write.change {
                case .delete:
                    guard before != nil else { continue }
                    next.documents[write.name] = nil
                case .set(let text):
                    next.documents[write.name] = Stored(content: try JSONValue.parse(text), version: 0)
                case .patch(let patch):
                    var object = before?.content.object ?? JSONObject()
                    for member in patch.members {
                        object[member.name] = member.value.isNull ? .none : .some(member.value)
                    }
                    next.documents[write.name] = Stored(content: .object(object), version: 0)
                }
                next.changes.append(write.name)
                next.documents[write.name]?.version = Int64(next.changes.count)
            }
            if next.documents.count > limits.maxCount, next.documents.count > documents.count { return }
            if next.bytes > limits.maxTotalBytes, next.bytes > bytes { return }
            if next.documents.values.contains(where: { $0.content.serialized().count > limits.maxBytes }) { return }
            self = next
        }
    }

    private static func randomWrite(_ random: inout SplitMix, _ model: Model) -> DocumentWrite {
        let target = name("\(random.next() % 12)", in: ["x", "y"][Int(random.next() % 2)])
        let member = ["a", "b", "c", "d"][Int(random.next() % 4)]
        let value = JSONValue.string(String(repeating: "é", count: Int(random.next() % 20)))
        var object = JSONObject()
        object.append(member, random.next() % 5 == 0 ? .null : value)
        let known = model.documents[target]?.version ?? 1
        let preconditions: [DocumentPrecondition] = [
            .none, .none, .none, .init(match: .of([known])), .init(match: .of([known + 1])), .init(match: .any),
            .init(noneMatch: .any),
        ]
        let precondition = preconditions[Int(random.next() % 7)]
        switch random.next() % 4 {
        case 0: return DocumentWrite(target, .delete, if: precondition)
        case 1:
            let text = String(decoding: JSONValue.object(object).serialized(), as: UTF8.self)
            return DocumentWrite(target, .set(text), if: precondition)
        default: return DocumentWrite(target, .patch(object), if: precondition)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `documents, counts, bytes, versions and numbers are always those of the model`(seed: UInt64) async throws {
        let scene = try await DocumentScene()
        var random = SplitMix(seed: seed)
        var limits = DocumentLimits()
        (limits.maxCount, limits.maxTotalBytes, limits.maxBytes) = (16, 500, 90)
        var model = Model()
        var refused = 0
        for _ in 0..<250 {
            var names: Set<DocumentName> = []
            let writes = (0..<(1 + random.next() % 4)).map { _ in Self.randomWrite(&random, model) }
                .filter { names.insert($0.name).inserted }
            let before = model
            try model.write(writes, within: limits)
            do {
                let written = try await scene.write(writes, within: limits)
                try #require(written.hasChanges == (model != before))
            } catch is Refusal {
                refused += 1
                try #require(model == before)
            }
            try check(scene, model)
        }
        #expect(refused > 20 && model.changes.count > 100, "the sequence tells nothing")
    }

    private func check(_ scene: DocumentScene, _ model: Model) throws {
        let documents = try scene.list().documents
        try #require(documents.count == model.documents.count)
        for document in documents {
            let expected = try #require(model.documents[document.name])
            try #require(Array(document.content.utf8) == expected.content.serialized())
            try #require(document.version == expected.version)
        }
        let usage = try scene.usage()
        try #require(usage.documents == documents.count)
        try #require(usage.bytes == documents.reduce(0) { $0 + $1.bytes })
        let changes = try scene.changes()
        try #require(usage.changeNumber == Int64(changes.count))
        try #require(changes.map(\.number) == changes.indices.map { Int64($0 + 1) })
        try #require(changes.map(\.name) == model.changes)
    }

    @Test func `writes of many at once lose no number, count or byte`() async throws {
        let scene = try await DocumentScene()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<50 {
                group.addTask {
                    for round in 0..<10 {
                        let own = DocumentWrite(name("own-\(writer)"), .set(#"{"n":\#(round)}"#))
                        let shared = DocumentWrite(name("shared-\(round)"), .patch(try object(#"{"w\#(writer)":1}"#)))
                        try await scene.write(round % 3 == 0 ? [own, shared] : [shared, own])
                    }
                }
            }
            try await group.waitForAll()
        }
        let documents = try scene.list().documents
        #expect(documents.count == 60)
        for document in documents where document.name.id.hasPrefix("shared") {
            #expect(try object(document.content).count == 50)
        }
        let usage = try scene.usage()
        #expect(usage.changeNumber == 1000)
        #expect(usage.documents == 60)
        #expect(usage.bytes == documents.reduce(0) { $0 + $1.bytes })
        #expect(try scene.changes().map(\.number) == (1...1000).map { Int64($0) })
    }
}
