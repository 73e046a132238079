import Synchronization

/// The random pauses before the statements of both nodes.
///
/// In most pieces of a history one statement, whatever transaction it belongs to, is slow. So others overtake the
/// transaction at this place.
final class Pauses: Sendable {
    private struct State {
        var numbers: SeededNumbers
        /// The text of the slow statement; `nil` until one is chosen.
        var slow: String?
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(numbers: SeededNumbers(seed, -1000)))
    }

    func beginPiece() { state.withLock { $0.slow = nil } }

    /// Returns the microseconds to wait before a statement.
    func before(_ statement: String) -> UInt32 {
        state.withLock { state in
            if state.slow == nil, state.numbers.chance(5) { state.slow = statement }
            if state.slow == statement, state.numbers.chance(70) {
                return .random(in: 5000...40_000, using: &state.numbers)
            }
            return state.numbers.chance(50) ? .random(in: 0...5000, using: &state.numbers) : 0
        }
    }
}
