import { expect, it } from 'vitest'
import { LiveLines } from './live-lines.ts'

const ESCAPE = '\u001b'
const written = new RegExp(`${ESCAPE}\\[(\\d+)A|(${ESCAPE}\\[\\??\\d*[a-zA-Z])|([^${ESCAPE}])`, 'gu')

/** A terminal that interprets the sequences that LiveLines writes. */
class TestTerminal {
  columns: number
  isCursorVisible = true
  writes = 0
  #rows = ['']
  #row = 0

  constructor(columns: number) {
    this.columns = columns
  }

  readonly write = (text: string): boolean => {
    this.writes++
    for (const [, up, sequence, printed] of text.matchAll(written))
      if (up) this.#row -= Number(up)
      else if (sequence) this.#interpret(sequence)
      else if (printed === '\n') this.#rows[++this.#row] = ''
      else if (printed !== '\r') this.#print(printed ?? '')
    return true
  }

  #interpret(sequence: string): void {
    if (sequence === `${ESCAPE}[J`) this.#rows.splice(this.#row, Number.POSITIVE_INFINITY, '')
    else if (sequence.startsWith(`${ESCAPE}[?25`)) this.isCursorVisible = sequence.endsWith('h')
  }

  #print(character: string): void {
    if ((this.#rows[this.#row]?.length ?? 0) >= this.columns) this.#rows[++this.#row] = ''
    this.#rows[this.#row] += character
  }

  /** Makes the terminal narrower: it wraps the lines that it shows. */
  narrow(columns: number): void {
    const lines = this.#rows
    this.columns = columns
    this.#rows = ['']
    this.#row = 0
    this.write(lines.join('\n'))
  }

  readonly rows = () => this.#rows
}

it('LiveLines replaces its lines, and leaves the text above them', () => {
  const terminal = new TestTerminal(20)
  terminal.write('above\n')
  const lines = new LiveLines(terminal)
  lines.show(['one', 'two'])
  lines.show(['three'])
  expect(terminal.rows()).toEqual(['above', 'three', ''])
  lines.show([])
  terminal.write('also above\n')
  lines.show(['four', 'five'])
  expect(terminal.rows()).toEqual(['above', 'also above', 'four', 'five', ''])
})

it('LiveLines erases all rows of its lines if the terminal has become narrower', () => {
  const terminal = new TestTerminal(20)
  terminal.write('above\n')
  const lines = new LiveLines(terminal)
  lines.show(['a line of 18 chars', 'short'])
  terminal.narrow(10)
  expect(terminal.rows()).toHaveLength(5)
  lines.show(['narrow'])
  expect(terminal.rows()).toEqual(['above', 'narrow', ''])
})

it('LiveLines writes nothing if its lines are the same', () => {
  const terminal = new TestTerminal(20)
  const lines = new LiveLines(terminal)
  lines.show(['one'])
  const { writes } = terminal
  lines.show(['one'])
  expect(terminal.writes).toBe(writes)
})

it('LiveLines hides the cursor until it is disposed, or until the process exits', () => {
  const terminal = new TestTerminal(20)
  const listeners = process.listenerCount('exit')
  {
    using lines = new LiveLines(terminal)
    lines.show(['one'])
    expect(terminal.isCursorVisible).toBe(false)
    process.listeners('exit').at(-1)?.call(process, 0)
    expect(terminal.isCursorVisible).toBe(true)
  }
  expect(terminal.rows()).toEqual([''])
  expect(process.listenerCount('exit')).toBe(listeners)
})
