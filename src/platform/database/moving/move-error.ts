/** A database cannot be moved, or not yet; the message says what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}
