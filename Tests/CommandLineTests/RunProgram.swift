import Foundation

/// What a run of the program left.
struct ProgramResult: Sendable {
    let status: Int32
    let output: String
    let error: String
}

/// Runs the program that was built beside these tests, and waits for its end.
///
/// - Parameters:
///   - words: Its arguments.
///   - input: Its standard input.
///   - environment: All of its environment.
/// - Returns: Status and texts.
/// - Throws: When the program cannot be started.
func runProgram(_ words: [String], input: String, environment: [String: String]) async throws -> ProgramResult {
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = environment
    let output = Pipe(), error = Pipe(), source = Pipe()
    process.standardOutput = output
    process.standardError = error
    process.standardInput = source
    return try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { process in
            // All that the program writes fits into a pipe, so nothing needs to read while it runs.
            let texts = [output, error].map {
                String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }
            continuation.resume(
                returning: ProgramResult(status: process.terminationStatus, output: texts[0], error: texts[1])
            )
        }
        do {
            try process.run()
            source.fileHandleForWriting.write(Data(input.utf8))
            try source.fileHandleForWriting.close()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// The program, in the folder of the test bundle.
private var program: URL {
    let words = ProcessInfo.processInfo.arguments
    let bundle = words.first { $0.hasSuffix(".xctest") } ?? words[0]
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: "latchkey")
}
