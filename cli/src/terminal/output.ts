import { type Look, lookOf } from './look.ts'

/** Writes for people. */
type Human = (look: Look) => string

/** Where a command's words go: results to stdout, everything else to stderr, so that a pipe carries results alone. */
export type Output = {
  /** What was asked for: `human` writes it for people, and `--json` prints `value` instead. */
  readonly result: (value: unknown, human: Human) => void
  /** One of many, such as an event: a line of JSON each with `--json`. */
  readonly item: (value: unknown, human: Human) => void
  /** A text that is the result as it stands, such as a file's; the same with `--json`. */
  readonly text: (text: string) => void
  /** What a person may want to know meanwhile; silent with `--json`. */
  readonly note: (text: string | Human) => void
  /** What must not be overlooked, such as that a list is not whole: with `--json` an object on stderr. */
  readonly warning: (text: string) => void
  readonly isJson: boolean
  /** Whether somebody watches: bars are drawn only then. */
  readonly isWatched: boolean
}

type Streams = { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream }

export function outputTo({ stdout, stderr }: Streams, isJson: boolean): Output {
  // An empty text is empty also in a file that it is written to.
  const print = (text: string) => stdout.write(/(^|\n)$/.test(text) ? text : `${text}\n`)
  return {
    result: (value, human) =>
      print(isJson ? JSON.stringify(value ?? null, null, 2) : human(lookOf(stdout))),
    item: (value, human) => print(isJson ? JSON.stringify(value) : human(lookOf(stdout))),
    text: print,
    note: (text) => {
      if (!isJson) stderr.write(`${typeof text === 'string' ? text : text(lookOf(stderr))}\n`)
    },
    warning: (text) => {
      const { paint } = lookOf(stderr)
      stderr.write(isJson ? `${JSON.stringify({ note: text })}\n` : `\n${paint('gray', text)}\n`)
    },
    isJson,
    isWatched: !isJson && stderr.isTTY === true,
  }
}
