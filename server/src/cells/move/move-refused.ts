/** A migration cannot start or continue; the message says what to do. The data at the source stays there. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
