import Glibc
import Testing

@testable import HTTPServer

/// The numbers of sockets, by which the library chooses threads.
@Suite("Descriptors") struct DescriptorTests {
    @Test func `a connection gets a number of its thread although all low ones are in use`() throws {
        let original = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let copies = (0..<1500).map { _ in dup(original) }
        try #require(original >= 0 && copies.allSatisfy { $0 >= 0 })
        // As after the end of most connections of the thread with the odd numbers.
        let odd = copies.filter { $0 % 2 == 1 }
        let given = try #require(odd.first)
        for number in odd.dropFirst() { close(number) }
        let served = Daemon.descriptor(given, thread: 0, of: 2)
        #expect(served % 2 == 0 && fcntl(served, F_GETFD) >= 0)
        #expect(Daemon.descriptor(served, thread: 0, of: 2) == served)
        for number in copies.filter({ $0 % 2 == 0 }) + [original, served] { close(number) }
    }

    @Test func `a connection stays with its number if the system has no other`() throws {
        let given = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(given >= 0)
        // No number leaves this remainder: all beyond it are out of the system's reach.
        #expect(Daemon.descriptor(given, thread: Int(Int32.max) - 1, of: Int(Int32.max)) == given)
        #expect(fcntl(given, F_GETFD) >= 0)
        close(given)
    }
}
