/// What breaking a line needs to know of a character: its columns, and whether a line may start or end with it.
struct Glyph {
    /// The columns in a font of fixed width: 2 for wide East Asian characters (Unicode Standard Annex 11), else 1 or 0.
    let width: Int
    private let scalar: Unicode.Scalar

    /// The start of a line, or a space, where the next character offers no further break.
    static let lineStart = Glyph("\u{2060}")

    init(_ scalar: Unicode.Scalar) {
        self.scalar = scalar
        width = Self.width(of: scalar)
    }

    /// Whether a line may break between this character and the next one.
    func mayBreak(before next: Glyph) -> Bool {
        guard width == 2 || width == 1 && next.width == 2, next.width > 0 else { return false }
        // A number stays with the Japanese word that counts.
        let isNumber = ("0"..."9").contains(scalar)
        return !isNumber && !Self.endsNoLine.has(scalar) && !Self.startsNoLine.has(next.scalar)
    }

    /// The characters that start no line: closing marks, characters that continue a syllable (kinsoku), and spaces that
    /// do not break.
    private static let startsNoLine = sorted(
        "、。，．・：；！？」』）】〉》〕］｝ー〜々ゝゞぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ,.:;!?)]}”’»%\u{A0}\u{202F}"
    )
    /// The characters that end no line: opening marks, and spaces that do not break.
    private static let endsNoLine = sorted("「『（【〈《〔［｛([{“‘«\u{A0}\u{202F}")

    private static func sorted(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.sorted() }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case ..<0x300, 0x2010...0x2027, 0x2030...0x205F: 1
        // Marks of direction and joining, variation selectors, and the usual combining marks.
        case 0x300...0x36F, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0x20D0...0x20FF, 0x3099...0x309A,
            0xFE00...0xFE0F, 0xFEFF:
            0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}

extension [Unicode.Scalar] {
    /// Whether a sorted list contains a character.
    fileprivate func has(_ scalar: Unicode.Scalar) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] == scalar { return true }
            if self[middle] < scalar { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
