/** Shows the progress of transfers: bars in a terminal, lines in a log, nothing with `--json`. */
import type { Output } from '../../../terminal/output.ts'
import type { Transfer } from '../transfer.ts'
import { LiveLines } from './live-lines.ts'
import { renderStep, stepOf } from './plain-progress.ts'
import { renderProgress } from './progress-view.ts'

export type Display = Disposable & {
  readonly changed: (transfers: readonly Transfer[], index: number) => void
  /** Prints a permanent line above the bars. */
  readonly above: (say: () => void) => void
}

/** Interval at which bars are redrawn, which looks smooth at a low CPU cost. */
const DRAW_EVERY_MILLISECONDS = 100

export function openDisplay(output: Output, isWatching: boolean): Display {
  if (output.isJson) return { changed: () => {}, above: (say) => say(), [Symbol.dispose]: () => {} }
  const { stderr } = process
  // Terminals without a known size, as in some containers, are treated like a log.
  return output.isInteractive && stderr.rows > 0 ? openBars(stderr, isWatching) : openLines(output)
}

/** Monotonic clock for transfers. */
export const clockSeconds = (): number => performance.now() / 1000

function openBars(stream: NodeJS.WriteStream, isWatching: boolean): Display {
  const lines = new LiveLines(stream)
  let shown: readonly Transfer[] = []
  const draw = () => {
    const { columns = 80, rows = 24 } = stream
    lines.show(renderProgress(shown, { columns, rows, at: clockSeconds(), isWatching }))
  }
  const timer = setInterval(draw, DRAW_EVERY_MILLISECONDS)
  return {
    changed: (transfers) => {
      shown = transfers
    },
    above: (say) => {
      lines.show([])
      say()
      draw()
    },
    [Symbol.dispose]: () => {
      clearInterval(timer)
      lines[Symbol.dispose]()
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
      const line = renderStep(transfer)
      if (line) output.note(line)
    },
    above: (say) => say(),
    [Symbol.dispose]: () => {},
  }
}
