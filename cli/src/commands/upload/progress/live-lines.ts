import { widthOf } from '../../../terminal/width.ts'

type Terminal = { readonly columns: number; readonly write: (text: string) => boolean }

const [HIDE_CURSOR, SHOW_CURSOR] = ['\u001b[?25l', '\u001b[?25h']
/** Makes terminals show everything in between at once, without flickering. Other terminals ignore them. */
const [BEGIN_UPDATE, END_UPDATE] = ['\u001b[?2026h', '\u001b[?2026l']
const ERASE_BELOW = '\u001b[J'

/** Lines at the end of the output that are replaced in place. Hides the cursor until it is disposed. */
export class LiveLines implements Disposable {
  readonly #terminal: Terminal
  #shown: readonly string[] = []

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    process.on('exit', this.#showCursor)
    terminal.write(HIDE_CURSOR)
  }

  /** Replaces the lines. They must be narrower than the terminal, and fewer than its rows. */
  show(lines: readonly string[]): void {
    if (lines.length === this.#shown.length && lines.every((line, index) => line === this.#shown[index])) return
    const text = lines.map((line) => `${line}\n`).join('')
    this.#terminal.write(`${BEGIN_UPDATE}${this.#eraseShown()}${text}${END_UPDATE}`)
    this.#shown = lines
  }

  /** Moves to the first line and erases all. In a terminal that is narrower now, a line takes several rows. */
  #eraseShown(): string {
    const { columns } = this.#terminal
    const rowsOf = (line: string) => Math.max(1, Math.ceil(widthOf(line) / (columns || Number.POSITIVE_INFINITY)))
    const rows = this.#shown.reduce((sum, line) => sum + rowsOf(line), 0)
    return rows === 0 ? '' : `\u001b[${rows}A\r${ERASE_BELOW}`
  }

  readonly #showCursor = (): void => {
    this.#terminal.write(SHOW_CURSOR)
  };

  [Symbol.dispose](): void {
    process.off('exit', this.#showCursor)
    this.show([])
    this.#showCursor()
  }
}
