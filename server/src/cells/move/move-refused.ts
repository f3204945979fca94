/** A migration cannot start or continue. The message states what to do. The data at the source is unchanged. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
