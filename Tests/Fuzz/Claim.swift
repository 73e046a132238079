/// Traps with a message if a condition does not hold; unlike `precondition`, also prints the message in optimized
/// builds.
func claim(
    _ holds: Bool,
    _ message: @autoclosure () -> String = "does not hold",
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !holds { fatalError(message(), file: file, line: line) }
}

/// Returns a value that only a bug can make unavailable, and traps without it.
func must<Value>(_ make: () throws -> Value?) -> Value {
    do {
        guard let value = try make() else { fatalError("nothing where something has to be") }
        return value
    } catch {
        fatalError("\(error)")
    }
}
