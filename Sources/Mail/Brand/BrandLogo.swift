/// A brand's logo, checked.
package struct BrandLogo: Sendable, Equatable {
    /// The format of a logo.
    package enum Format: Sendable, CaseIterable {
        case png, svg

        /// The name of the published file.
        package var fileName: String {
            switch self {
            case .png: "logo.png"
            case .svg: "logo.svg"
            }
        }

        package var mediaType: String {
            switch self {
            case .png: "image/png"
            case .svg: "image/svg+xml"
            }
        }
    }

    package let format: Format
    package let bytes: [UInt8]

    /// The maximum size of a logo in bytes.
    package static let sizeLimit = 100_000
    /// The first bytes of a PNG file (PNG specification, section 5.2).
    private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Checks the content of a file.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - file: the file's name, for errors.
    /// - Throws: `TemplateError` for a file that is too large, is neither PNG nor SVG, or is an SVG file with scripts or
    ///   references to other files.
    package init(_ bytes: [UInt8], file: String) throws(TemplateError) {
        guard bytes.count <= Self.sizeLimit else {
            let reason = "the logo has \(bytes.count) bytes; at most \(Self.sizeLimit) are allowed"
            throw TemplateError(file: file, line: nil, reason: reason)
        }
        self.bytes = bytes
        if bytes.starts(with: Self.signatureOfPNG) {
            format = .png
        } else {
            try PassiveSVG.check(bytes, file: file)
            format = .svg
        }
    }
}
