import Foundation
import ProcessHarness

/// The result of running the program.
struct ProgramResult: Sendable {
    let status: Int32
    let output: String
    let error: String
}

/// Runs the program that was built with these tests, and waits until it ends.
///
/// - Parameters:
///   - words: its arguments.
///   - input: its standard input.
///   - environment: its whole environment.
///   - folder: its working directory; `nil` for that of this process.
/// - Returns: the status and the output.
/// - Throws: when the program cannot be started.
func runProgram(
    _ words: [String],
    input: String,
    environment: [String: String],
    in folder: String? = nil
) async throws -> ProgramResult {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = environment
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    let output = Pipe(), error = Pipe(), source = Pipe()
    process.standardOutput = output
    process.standardError = error
    process.standardInput = source
    return try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { process in
            // The whole output fits into a pipe, so nothing needs to read it while the program runs.
            let texts = [output, error].map {
                String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }
            continuation.resume(
                returning: ProgramResult(status: process.terminationStatus, output: texts[0], error: texts[1])
            )
        }
        do {
            try process.start()
            source.fileHandleForWriting.write(Data(input.utf8))
            try source.fileHandleForWriting.close()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// The path of the program, in the folder of the test bundle.
private var program: URL {
    let words = ProcessInfo.processInfo.arguments
    let bundle = words.first { $0.hasSuffix(".xctest") } ?? words[0]
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: "latchkey")
}
