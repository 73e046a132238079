/// The facts about the connection on which a message came.
package struct SMTPSessionFacts: Sendable, Equatable {
    /// The connection's number since the server started; messages with the same number came on one connection.
    package var connection = 0
    /// The client's address, without port.
    package var remoteAddress = ""
    /// The argument of HELO or EHLO; empty before.
    package var clientName = ""
    /// Whether the client said EHLO.
    package var isExtended = false
    /// The protocol, such as "TLSv1.3"; nil unless the connection is encrypted.
    package var tlsVersion: String?
    /// The name of the user who authenticated by AUTH; nil without one.
    package var authenticatedUser: String?
    /// The number of octets that were pipelined in the clear after STARTTLS and discarded (CVE-2011-0411).
    package var discardedOctets = 0

    /// Creates the facts of a connection that has just begun.
    ///
    /// - Parameters:
    ///   - connection: the connection's number.
    ///   - remoteAddress: the client's address, without port.
    package init(connection: Int = 0, remoteAddress: String = "") {
        self.connection = connection
        self.remoteAddress = remoteAddress
    }
}
