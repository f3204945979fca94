/** Renders progress for logs: one line per 10 %, without repetitions. */
import { percentOf } from '../../../terminal/bar.ts'
import { sentShare, type Transfer } from '../transfer.ts'

const STEPS = 10

/** Returns the current step of a transfer. A new line is printed when the step changes. */
export function stepOf(transfer: Transfer): string {
  const { phase, processedPercent } = transfer
  if (phase === 'sending') return `${phase} ${Math.floor(sentShare(transfer) * STEPS)}`
  if (phase === 'processing') return `${phase} ${Math.floor((processedPercent / 100) * STEPS)}`
  return phase
}

/**
 * Renders a line for the current step of a transfer. Returns undefined before and after the transfer; its result is
 * printed separately.
 */
export function renderStep(transfer: Transfer): string | undefined {
  const { name, phase, processedPercent } = transfer
  if (phase === 'comparing') return `${name}: comparing received parts with the file`
  if (phase === 'sending') return `${name}: ${percentOf(sentShare(transfer))} sent`
  if (phase === 'processing') return `${name}: ${percentOf(processedPercent / 100)} processed`
  return undefined
}
