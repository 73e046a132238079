/// Extracts the message from the stream after DATA: finds its end and removes the stuffed dots (RFC 5321 §4.5.2).
///
/// Only CR LF "." CR LF ends the message; a lone CR or LF is text. With laxer rules, two servers could disagree about
/// the end ("SMTP smuggling").
struct DataReader: Sendable {
    /// The message so far, without stuffed dots.
    ///
    /// The bytes are dropped once they exceed the limit.
    private(set) var message: [UInt8] = []
    /// The number of octets read, kept or not.
    private(set) var octets = 0
    /// Whether the message exceeds the limit.
    private(set) var isTooBig = false
    /// The length of the longest line, in octets with its CR LF, without a stuffed dot.
    private(set) var longestLine = 0
    /// Whether a CR or LF occurred alone.
    private(set) var hasBareLineEnds = false

    private let maximumSize: Int
    private var state = State.lineStart
    private var lineLength = 0

    private enum State { case lineStart, dot, dotCR, text, cr }

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Reads input until the message ends, the input is used up or the limit is reached.
    ///
    /// - Parameters:
    ///   - input: bytes from the client.
    ///   - position: where to start; moved past the octets read.
    ///   - limit: the maximum number of octets of the input to read in this call.
    /// - Returns: whether the message ended.
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

    /// Processes one byte; true at the end of the message.
    private mutating func step(_ byte: UInt8) -> Bool {
        switch (state, byte) {
        case (.lineStart, UInt8(ascii: ".")): state = .dot
        case (.dot, 13): state = .dotCR
        case (.dotCR, 10): return true
        case (.dotCR, _):
            // The line only looked like the end. Its dot is removed, and its CR is text.
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
