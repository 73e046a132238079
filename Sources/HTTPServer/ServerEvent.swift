package import Network

/// What a server has to tell its log.
///
/// Nothing here holds a query, a header field or a body.
package enum ServerEvent: Sendable {
    /// A handler or the rendering of a suspended request threw something other than an `HTTPError`.
    case handlerFailed(any Error, method: Method, path: String)
    /// A response could not be sent as it was; the client got 500.
    case responseRefused(method: Method, path: String)
    /// A connection was cut because its request or its reading took too long.
    case deadlinePassed(IPAddress)
    /// A connection was refused because its address, or a network around it, has too many.
    case addressRefused(IPAddress)
    /// Connections that waited for their clients were closed, since connections ran out.
    case connectionsEvicted(Int)
    /// A message of libmicrohttpd.
    case library(String)
}

/// Why a server does not start.
package struct ServerStartError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
