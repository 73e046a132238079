internal import Crypto
internal import Mail

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A released version of latchkey.js, the client for web pages, embedded from `Sources/WebClient/dist`.
package struct WebClientRelease: Sendable {
    /// The version, such as `0.1.0`.
    package let version: String
    /// The minified module.
    let module: [UInt8]
    /// The module compressed by Brotli (RFC 7932).
    let brotli: [UInt8]
    /// The module compressed by gzip (RFC 1952).
    let gzip: [UInt8]
    /// The npm package: module and types.
    let archive: [UInt8]

    /// The file name of the module, whose content never changes.
    var name: String { "latchkey-\(version).js" }
    /// The file name of the npm package.
    var archiveName: String { "latchkey-\(version).tgz" }
    /// The path of the module.
    package var path: String { Self.folder + name }
    /// The path of the npm package.
    package var archivePath: String { Self.folder + archiveName }

    /// Returns the module's hash for the attribute `integrity` of web pages (Subresource Integrity, section 3.5).
    ///
    /// - Throws: an error if OpenSSL fails.
    package func integrity() throws -> String { "sha256-\(Data(try sha256(module)).base64EncodedString())" }

    /// The folder under which the server publishes the module.
    static let folder = "/sdk/"
    /// The file name of the newest version of the module.
    static let newestName = "latchkey.js"

    /// All released versions, the newest last.
    package static let all: [WebClientRelease] = {
        let files = EmbeddedFiles.below("Sources/WebClient/dist/")
        let versions = files.keys.compactMap { name -> String? in
            guard name.hasPrefix("latchkey-"), name.hasSuffix(".js") else { return nil }
            return String(name.dropFirst("latchkey-".count).dropLast(".js".count))
        }
        return versions.sorted(by: isOlder).compactMap { version in
            let name = "latchkey-\(version)"
            guard let module = files["\(name).js"], let brotli = files["\(name).js.br"],
                let gzip = files["\(name).js.gz"], let archive = files["\(name).tgz"]
            else { return nil }
            return WebClientRelease(version: version, module: module, brotli: brotli, gzip: gzip, archive: archive)
        }
    }()

    /// Orders versions of the form `1.10.2` by their numbers.
    private static func isOlder(_ one: String, _ other: String) -> Bool {
        func numbers(_ version: String) -> [Int] { version.split(separator: ".").map { Int($0) ?? 0 } }
        return numbers(one).lexicographicallyPrecedes(numbers(other))
    }
}
