/// What is known about the connection on which a message came.
package struct SMTPSessionFacts: Sendable, Equatable {
    /// The connection's number since the server started; messages with the same number came on one connection.
    package var connection = 0
    /// The client's address, without port.
    package var remoteAddress = ""
    /// The argument of HELO or EHLO.
    package var clientName = ""
    /// Whether the client said EHLO.
    package var isExtended = false
    /// The protocol, as "TLSv1.3", when the connection is encrypted.
    package var tlsVersion: String?
    /// The user of AUTH, if any.
    package var authenticatedUser: String?
    /// Octets that were pipelined behind STARTTLS in the clear and thrown away (CVE-2011-0411).
    package var discardedOctets = 0

    /// Facts of a connection that has only just begun.
    ///
    /// - Parameters:
    ///   - connection: Its number.
    ///   - remoteAddress: The client's address, without port.
    package init(connection: Int = 0, remoteAddress: String = "") {
        self.connection = connection
        self.remoteAddress = remoteAddress
    }
}
