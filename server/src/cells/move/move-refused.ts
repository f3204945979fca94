/** A move that does not begin, or does not go on; the message says what to do. What is at the source stays there. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
