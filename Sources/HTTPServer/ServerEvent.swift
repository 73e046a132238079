package import Network

/// An event for the server's log.
///
/// No event contains a query, a header field or a body.
package enum ServerEvent: Sendable {
    /// A handler, a check of the head, or a task or continuation of a suspended request threw something other than an
    /// `HTTPError`.
    case handlerFailed(any Error, method: Method, path: String)
    /// A response could not be sent, and the client received 500.
    case responseRefused(method: Method, path: String)
    /// A connection was cut because its request, or the client's reading, took too long.
    case deadlinePassed(IPAddress)
    /// A connection was rejected because its address, or a network around it, has too many.
    case addressRefused(IPAddress)
    /// Connections that waited for their clients were closed to make room for new ones.
    case connectionsEvicted(Int)
    /// A message of libmicrohttpd.
    case library(String)
}

/// The reason why a server cannot start.
package struct ServerStartError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
