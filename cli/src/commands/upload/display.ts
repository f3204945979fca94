/**
 * Shows transfers while they are under way: as bars for somebody who watches, as lines for a log,
 * and not at all for machines.
 */
import { createLogUpdate } from 'log-update'
import type { Output } from '../../terminal/output.ts'
import { drawBoard } from './board.ts'
import { drawStep, stepOf } from './plain-progress.ts'
import type { Transfer } from './transfer.ts'

export type Display = Disposable & {
  readonly changed: (transfers: readonly Transfer[], index: number) => void
  /** Has something said that stays, above the bars. */
  readonly above: (say: () => void) => void
}

/** Often enough to look alive, seldom enough to cost nothing. */
const DRAW_EVERY_MILLISECONDS = 100

export function openDisplay(output: Output, isWatching: boolean): Display {
  if (output.isJson) return { changed: () => {}, above: (say) => say(), [Symbol.dispose]: () => {} }
  const { stderr } = process
  // A terminal that does not know its size, as some containers have it, is as good as a log.
  return output.isWatched && stderr.rows > 0 ? openBars(stderr, isWatching) : openLines(output)
}

/** Seconds, of the clock by which transfers are told apart in time. */
export const clockSeconds = (): number => performance.now() / 1000

function openBars(stream: NodeJS.WriteStream, isWatching: boolean): Display {
  const log = createLogUpdate(stream)
  let shown: readonly Transfer[] = []
  const draw = () => {
    const { columns = 80, rows = 24 } = stream
    const lines = drawBoard(shown, { columns, rows, at: clockSeconds(), isWatching })
    if (lines.length > 0) log(lines.join('\n'))
    else log.clear()
  }
  const timer = setInterval(draw, DRAW_EVERY_MILLISECONDS)
  return {
    changed: (transfers) => {
      shown = transfers
    },
    above: (say) => {
      log.clear()
      say()
      draw()
    },
    [Symbol.dispose]: () => {
      clearInterval(timer)
      log.clear()
      log.done()
    },
  }
}

function openLines(output: Output): Display {
  const steps: string[] = []
  return {
    changed: (transfers, index) => {
      const transfer = transfers[index]
      if (!transfer || steps[index] === stepOf(transfer)) return
      steps[index] = stepOf(transfer)
      const line = drawStep(transfer)
      if (line) output.note(line)
    },
    above: (say) => say(),
    [Symbol.dispose]: () => {},
  }
}
