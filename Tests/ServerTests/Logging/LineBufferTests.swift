import Foundation
import Synchronization
import Testing

@testable import Server

@Suite("Lines of the log") struct LineBufferTests {
    private final class Written: Sendable {
        let calls = Mutex<[[UInt8]]>([])
        var text: String { calls.withLock { String(decoding: $0.joined(), as: UTF8.self) } }
        var count: Int { calls.withLock(\.count) }
    }

    @Test func `lines are written soon without a flush`() async throws {
        let written = Written()
        // Long enough for three lines on a machine that stalls.
        let buffer = LineBuffer(delay: .seconds(3)) { bytes in written.calls.withLock { $0.append(bytes) } }
        for number in 0..<3 { buffer.append(Array("\(number)\n".utf8)) }
        let end = ContinuousClock.now + .seconds(30)
        while written.text != "0\n1\n2\n", ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(written.text == "0\n1\n2\n")
        #expect(written.count == 1)
    }

    @Test func `no line is lost or torn, and each thread's lines keep their order`() async {
        let written = Written()
        let buffer = LineBuffer { bytes in written.calls.withLock { $0.append(bytes) } }
        let padding = String(repeating: "x", count: 100)
        await withTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<2000 { buffer.append(Array("\(writer) \(number) \(padding)\n".utf8)) }
                }
            }
        }
        buffer.flush()
        let lines = written.text.split(separator: "\n")
        #expect(lines.count == 8000)
        for writer in 0..<4 {
            let own = lines.filter { $0.hasPrefix("\(writer) ") }
            #expect(own == (0..<2000).map { Substring("\(writer) \($0) \(padding)") })
        }
    }
}
