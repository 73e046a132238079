internal import Glibc

/// Processes one input: does nothing if the input is properly accepted or refused, and traps if a claim does not hold.
typealias Subject = @Sendable ([UInt8]) -> Void

/// Every subject by name, which is also the name of its folder of seeds in Corpus.
private let subjects: [String: Subject] = [
    "action-code": fuzzActionCode,
    "address": fuzzAddress,
    "import": fuzzImport,
    "json": fuzzJSON,
    "jwt": fuzzJWT,
    "delivery-report": fuzzDeliveryReport,
    "locale": fuzzLocale,
    "origin": fuzzOrigin,
    "request": fuzzRequest,
    "smtp-command": fuzzSMTP,
]

/// The subject of this run, from `LATCHKEY_FUZZ_SUBJECT`.
private let subject: Subject = {
    guard let name = unsafe getenv("LATCHKEY_FUZZ_SUBJECT"), let subject = unsafe subjects[String(cString: name)] else {
        print("LATCHKEY_FUZZ_SUBJECT has to be one of: \(subjects.keys.sorted().joined(separator: ", "))")
        exit(2)
    }
    return subject
}()

/// Called by libFuzzer for every input, in one thread.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe subject(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// libFuzzer's loop (FuzzerInterface.h).
///
/// Its own `main` cannot be used, because the package manager renames the entry point of an executable and expects the
/// executable to have one.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
enum Fuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        exit(unsafe runDriver(&count, &arguments, testOneInput))
    }
}
