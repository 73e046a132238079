internal import HTTPServer

extension Request {
    /// Whether one of Firebase's SDKs sends the request, which names itself in `X-Client-Version`.
    ///
    /// Anyone can send the header, so it only changes what the sender of the request gets.
    var isOfFirebaseSDK: Bool { header("x-client-version") != nil }
}
