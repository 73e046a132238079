internal import Glibc

/// A stub resolver that asks DNS servers for records that the system's `getaddrinfo` cannot look up, such as TXT (RFC
/// 1035).
///
/// Its calls block for the time limit of each server at most.
package struct DNSResolver: Sendable {
    /// A DNS server.
    package struct Server: Sendable, Equatable {
        package let address: IPAddress
        package let port: UInt16

        package init(_ address: IPAddress, port: UInt16 = 53) {
            self.address = address
            self.port = port
        }

        /// Parses `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`; `nil` for other texts.
        package init?(_ text: String) {
            if let address = IPAddress(text) {
                self.init(address)
                return
            }
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
                return nil
            }
            var host = text[..<colon]
            if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
            guard let address = IPAddress(String(host)), port > 0 else { return nil }
            self.init(address, port: port)
        }
    }

    /// Why a question has no answer.
    package enum Failure: Error, Sendable, Equatable {
        /// No server has answered in time.
        case noAnswer
        /// The server's code of failure, such as 2 for SERVFAIL and 5 for REFUSED.
        case refused(Int)
        /// The answer cannot be read.
        case malformed
        /// The name is not one of DNS.
        case invalidName
    }

    private let servers: [Server]
    /// The time limit for each server, in milliseconds.
    private let patience: Int32

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - servers: the servers, asked one after the other until one answers; at most three.
    ///   - patience: the time limit for each server, in milliseconds.
    package init(servers: [Server], patience: Int32 = 2000) {
        self.servers = Array(servers.prefix(3))
        self.patience = patience
    }

    /// The resolver that asks the servers of `/etc/resolv.conf`, or this machine if the file names none.
    package static func system(_ file: String = "/etc/resolv.conf") -> DNSResolver {
        var servers: [Server] = []
        if let stream = unsafe fopen(file, "re") {
            defer { unsafe fclose(stream) }
            var buffer = [CChar](repeating: 0, count: 1024)
            while unsafe fgets(&buffer, Int32(buffer.count), stream) != nil {
                let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let words = line.split(whereSeparator: \.isWhitespace)
                if words.count >= 2, words[0] == "nameserver", let address = IPAddress(String(words[1])) {
                    servers.append(Server(address))
                }
            }
        }
        return DNSResolver(servers: servers.isEmpty ? [Server(.loopback)] : servers)
    }

    /// Returns the TXT records of a name, each as one text; empty if there are none.
    package func texts(_ name: String) throws(Failure) -> [String] {
        try answers(name, type: DNSMessage.textType).map { $0.text }
    }

    /// Whether the name has a record of type MX, A or AAAA, so that it can receive e-mail (RFC 5321, section 5.1).
    package func receivesMail(_ name: String) throws(Failure) -> Bool {
        for type: UInt16 in [15, 1, 28] where try !answers(name, type: type).isEmpty { return true }
        return false
    }

    private func answers(_ name: String, type: UInt16) throws(Failure) -> [DNSMessage.Record] {
        guard let question = DNSMessage.question(name, type: type, id: UInt16.random(in: 0 ... .max)) else {
            throw .invalidName
        }
        for server in servers {
            guard let answer = ask(server, question) else { continue }
            return try DNSMessage.records(in: answer, type: type)
        }
        throw .noAnswer
    }

    /// Sends a question to a server, first by UDP, and if the answer is cut off by TCP.
    private func ask(_ server: Server, _ question: [UInt8]) -> [UInt8]? {
        guard let answer = exchange(server, question, SOCK_DGRAM) else { return nil }
        guard DNSMessage.isTruncated(answer) else { return answer }
        return exchange(server, question, SOCK_STREAM) ?? answer
    }

    private func exchange(_ server: Server, _ question: [UInt8], _ type: __socket_type) -> [UInt8]? {
        let isStream = type == SOCK_STREAM
        guard let descriptor = connected(server, type) else { return nil }
        defer { close(descriptor) }
        // TCP puts the length of each message before it.
        let length = [UInt8(truncatingIfNeeded: question.count >> 8), UInt8(truncatingIfNeeded: question.count)]
        let message = isStream ? length + question : question
        guard unsafe send(descriptor, message, message.count, Int32(MSG_NOSIGNAL)) == message.count else {
            return nil
        }
        let deadline = ContinuousClock.now + .milliseconds(Int64(patience))
        var received: [UInt8] = []
        while let piece = receive(descriptor, before: deadline) {
            if isStream {
                received += piece
                guard received.count >= 2 else { continue }
                let expected = Int(received[0]) << 8 | Int(received[1])
                guard received.count >= expected + 2 else { continue }
                received = Array(received[2..<expected + 2])
            } else {
                received = piece
            }
            // Another message than the answer to this question is a forged or a late one.
            if DNSMessage.isAnswer(received, to: question) { return received }
            if isStream { return nil }
        }
        return nil
    }

    private func connected(_ server: Server, _ type: __socket_type) -> Int32? {
        let family = server.address.family == .v4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(tv_sec: Int(patience) / 1000, tv_usec: Int(patience) % 1000 * 1000)
        // Limits `connect` as well.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isConnected =
            switch server.address.family {
            case .v4: connect(descriptor, v4: server)
            case .v6: connect(descriptor, v6: server)
            }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private func connect(_ descriptor: Int32, v4 server: Server) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: server.address.bytes) }
        return unsafe withUnsafeBytes(of: &address) { unsafe Self.connect(descriptor, $0) }
    }

    private func connect(_ descriptor: Int32, v6 server: Server) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = server.port.bigEndian
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: server.address.bytes) }
        return unsafe withUnsafeBytes(of: &address) { unsafe Self.connect(descriptor, $0) }
    }

    private static func connect(_ descriptor: Int32, _ address: UnsafeRawBufferPointer) -> Bool {
        guard let start = address.baseAddress else { return false }
        return unsafe Glibc.connect(
            descriptor,
            start.assumingMemoryBound(to: sockaddr.self),
            socklen_t(address.count)
        ) == 0
    }

    /// Returns what arrives next; `nil` at the deadline, at the end and on an error.
    private func receive(_ descriptor: Int32, before deadline: ContinuousClock.Instant) -> [UInt8]? {
        while true {
            let left = Int32(clamping: Int((deadline - .now) / .milliseconds(1)))
            guard left > 0 else { return nil }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&wait, 1, left)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 65_535)
            let size = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard size > 0 else { return nil }
            return Array(buffer[..<size])
        }
    }
}
