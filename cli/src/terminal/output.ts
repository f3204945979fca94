import { type Style, styleFor } from './style.ts'

/** Renders a result for a terminal, as opposed to JSON. */
type Human = (style: Style) => string

/** Output of a command: results to stdout, everything else to stderr. */
export type Output = {
  /** Prints the result: `human` renders it for users, `--json` prints `value`. */
  readonly result: (value: unknown, human: Human) => void
  /** Prints one of several results, such as an event: with `--json` one line of JSON each. */
  readonly item: (value: unknown, human: Human) => void
  /** Prints a result that is text, such as a file; it is the same with `--json`. */
  readonly text: (text: string) => void
  /** Prints information during the run; nothing with `--json`. */
  readonly note: (text: string | Human) => void
  /** Prints a warning, for example that a list is incomplete: with `--json` an object on stderr. */
  readonly warning: (text: string) => void
  readonly isJson: boolean
  /** Whether stderr is a terminal that can show bars. */
  readonly isInteractive: boolean
}

type Streams = { readonly stdout: NodeJS.WriteStream; readonly stderr: NodeJS.WriteStream }

export function outputTo({ stdout, stderr }: Streams, isJson: boolean): Output {
  // An empty text is printed without a line break.
  const print = (text: string) => stdout.write(/(^|\n)$/.test(text) ? text : `${text}\n`)
  return {
    result: (value, human) => print(isJson ? JSON.stringify(value ?? null, null, 2) : human(styleFor(stdout))),
    item: (value, human) => print(isJson ? JSON.stringify(value) : human(styleFor(stdout))),
    text: print,
    note: (text) => {
      if (!isJson) stderr.write(`${typeof text === 'string' ? text : text(styleFor(stderr))}\n`)
    },
    warning: (text) => {
      const { paint } = styleFor(stderr)
      stderr.write(isJson ? `${JSON.stringify({ note: text })}\n` : `\n${paint('gray', text)}\n`)
    },
    isJson,
    isInteractive: !isJson && stderr.isTTY === true,
  }
}
