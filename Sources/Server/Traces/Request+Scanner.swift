internal import HTTPServer

extension Request {
    /// Whether a program probably opens this link, such as the scanner of a mail server or a preview.
    ///
    /// A guess by the headers: browsers name themselves "Mozilla/" and send `Accept-Language`, and a prefetch says what
    /// it is. A scanner that imitates a browser is not recognized.
    var looksLikeScanner: Bool {
        guard method != .head, let agent = header("user-agent"), agent.hasPrefix("Mozilla/"),
            header("accept-language")?.isEmpty == false
        else { return true }
        if [header("sec-purpose"), header("purpose")].contains(where: { $0?.contains("prefetch") == true }) {
            return true
        }
        let name = agent.lowercased()
        return Self.scannerMarks.contains { name.contains($0) }
    }

    /// Parts of the User-Agent of scanners, previews and crawlers, in lower case.
    private static let scannerMarks = [
        "bot", "crawl", "spider", "scan", "preview", "proofpoint", "mimecast", "barracuda", "safelinks", "headless",
        "imageproxy", "facebookexternalhit", "curl/", "python", "go-http-client", "java/",
    ]
}
