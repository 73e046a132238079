/// Takes the text of a message out of the stream after DATA: finds the end and removes the stuffed dots (RFC 5321 §4.5.2).
///
/// Only CR LF "." CR LF ends the message; a lone CR or LF is text. Anything laxer lets one server see an end where another
/// sees none ("SMTP smuggling").
struct DataReader: Sendable {
    /// The message so far, unstuffed; given up as soon as it exceeds the limit.
    private(set) var message: [UInt8] = []
    /// Octets seen, kept or not.
    private(set) var octets = 0
    /// Whether the message grew over the limit.
    private(set) var isTooBig = false
    /// The longest line, in octets with its CR LF.
    private(set) var longestLine = 0
    /// Whether a CR or LF stood alone.
    private(set) var hasBareLineEnds = false

    private let maximumSize: Int
    private var state = State.lineStart
    private var lineLength = 0

    private enum State { case lineStart, dot, dotCR, text, cr }

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - input: Bytes from the client.
    ///   - position: Where to begin; moved past what was used, which is all of it unless the message ended.
    ///   - limit: How many octets of the message to take at most in this call.
    /// - Returns: Whether the message ended.
    mutating func read(_ input: [UInt8], from position: inout Int, limit: Int = .max) -> Bool {
        let end = limit < input.count - position ? position + limit : input.count
        while position < end {
            if state == .text {
                // The common case in one piece: everything up to the next CR or LF.
                let run = input[position..<end].prefix { $0 != 13 && $0 != 10 }
                keep(run)
                position = run.endIndex
                guard position < end else { break }
            }
            let byte = input[position]
            position += 1
            octets += 1
            if step(byte) { return true }
        }
        return false
    }

    /// One byte through the machine; true at the end of the message.
    private mutating func step(_ byte: UInt8) -> Bool {
        switch (state, byte) {
        case (.lineStart, UInt8(ascii: ".")): state = .dot
        case (.dot, 13): state = .dotCR
        case (.dotCR, 10): return true
        case (.dotCR, _):
            // The line only looked like the end: its dot goes, its CR is text.
            bareLineEnd(13)
            text(byte)
        case (.cr, 10):
            keepOne(13)
            keepOne(10)
            endLine()
        case (.cr, _):
            bareLineEnd(13)
            text(byte)
        case (.lineStart, _), (.dot, _), (.text, _): text(byte)
        }
        return false
    }

    private mutating func text(_ byte: UInt8) {
        switch byte {
        case 13: state = .cr
        case 10:
            bareLineEnd(10)
            state = .text
        default:
            keepOne(byte)
            state = .text
        }
    }

    private mutating func bareLineEnd(_ byte: UInt8) {
        hasBareLineEnds = true
        keepOne(byte)
    }

    private mutating func endLine() {
        lineLength = 0
        state = .lineStart
    }

    private mutating func keepOne(_ byte: UInt8) {
        grow(by: 1)
        if !isTooBig { message.append(byte) }
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        octets += bytes.count
        grow(by: bytes.count)
        if !isTooBig { message.append(contentsOf: bytes) }
    }

    private mutating func grow(by count: Int) {
        lineLength += count
        longestLine = max(longestLine, lineLength)
        guard !isTooBig, message.count + count > maximumSize else { return }
        isTooBig = true
        message = []
    }
}
