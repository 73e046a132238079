import Accounts
import Testing

@Suite("Lists of documents")
struct DocumentListTests {
    /// Returns every document, collected page by page.
    private func pages(
        _ scene: DocumentScene,
        in collection: String? = nil,
        limit: Int,
        maximumBytes: Int = 1 << 20,
        between: (Int) async throws -> Void = { _ in }
    ) async throws -> [[DocumentName]] {
        var pages: [[DocumentName]] = []
        var last: DocumentName?
        while true {
            let page = try scene.list(in: collection, after: last, limit: limit, maximumBytes: maximumBytes)
            pages.append(page.documents.map(\.name))
            try #require(pages.count < 100, "the pages have no end")
            guard page.hasMore else { return pages }
            last = page.documents.last?.name
            try await between(pages.count)
        }
    }

    /// Names in byte order, capitals first, in three collections where one name is a prefix of another.
    private static let names = ["a", "a-b", "ab"].flatMap { collection in
        ["-", "0", "Z", "_", "a", "a.b", "aa", "b"].map { name($0, in: collection) }
    }

    @Test(arguments: [1, 2, 3, 7, 8, 23, 24, 25])
    func `pages together are complete and in order`(limit: Int) async throws {
        let scene = try await DocumentScene()
        try await scene.write(Self.names.shuffled().map { DocumentWrite($0, .set("{}")) })
        let pages = try await pages(scene, limit: limit)
        #expect(pages.flatMap(\.self) == Self.names)
        #expect(pages.count == (Self.names.count + limit - 1) / limit)
        for collection in ["a", "a-b", "ab"] {
            let pages = try await self.pages(scene, in: collection, limit: limit)
            #expect(pages.flatMap(\.self) == Self.names.filter { $0.collection == collection })
        }
        #expect(try scene.list(in: "none") == DocumentPage(documents: [], hasMore: false))
    }

    @Test func `a page ends before it grows too large, but never empty`() async throws {
        let scene = try await DocumentScene()
        let sizes = [10, 10, 10, 50, 10, 31, 10]
        let writes = sizes.enumerated().map { index, size in
            DocumentWrite(name("\(index)"), .set(#"{"a":"\#(String(repeating: "x", count: size - 8))"}"#))
        }
        try await scene.write(writes)
        let pages = try await pages(scene, limit: 100, maximumBytes: 30)
        #expect(pages.map { $0.map(\.id) } == [["0", "1", "2"], ["3"], ["4"], ["5"], ["6"]])
    }

    @Test func `what is there all the time comes exactly once, whatever is written meanwhile`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(Self.names.map { DocumentWrite($0, .set("{}")) })
        var random = SplitMix(seed: 7)
        var fleeting: Set<DocumentName> = []
        let pages = try await pages(scene, limit: 3) { round in
            // New documents before and after the position, changed ones, and some new ones deleted again.
            let new = name("n\(random.next() % 1000)", in: ["a", "a-b", "ab"][round % 3])
            fleeting.insert(new)
            try await scene.write(.init(new, .set("{}")))
            try await scene.write(.init(Self.names[Int(random.next() % 24)], .set(#"{"changed":true}"#)))
            if let gone = fleeting.first, random.next() % 2 == 0 { try await scene.write(.init(gone, .delete)) }
        }
        let seen = pages.flatMap(\.self)
        #expect(seen.filter { !fleeting.contains($0) } == Self.names)
        #expect(Set(seen).count == seen.count)
    }

    @Test func `a page goes on behind a document that is gone`() async throws {
        let scene = try await DocumentScene()
        try await scene.write(["a", "b", "c"].map { DocumentWrite(name($0), .set("{}")) })
        try await scene.write(.init(name("b"), .delete))
        #expect(try scene.list(after: name("b")).documents.map(\.name.id) == ["c"])
    }
}

/// Generates the same pseudo-random numbers in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
