export type Guarantee = {
  /** The guarantee, in one sentence. */
  readonly guarantee: string
  /** What the broken code does instead. */
  readonly mutation: string
  readonly file: string
  /** Code to replace, which occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** A test file that runs in `.ci/run`. */
  readonly tests: string
  /** Title of the test that fails, as it is written in the file: `%s` stands for the values of `it.each`. */
  readonly failing: string
}
