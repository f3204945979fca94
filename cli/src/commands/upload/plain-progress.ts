/**
 * Progress where nobody watches, as in a log: a line at every tenth of the way, and none that says
 * the same as the one before.
 */
import { percentOf } from '../../terminal/bar.ts'
import { sentShare, type Transfer } from './transfer.ts'

const STEPS = 10

/** What a line would be about; a new one is due when this has changed. */
export function stepOf(transfer: Transfer): string {
  const { stage, processedPercent } = transfer
  if (stage === 'sending') return `${stage} ${Math.floor(sentShare(transfer) * STEPS)}`
  if (stage === 'processing') return `${stage} ${Math.floor((processedPercent / 100) * STEPS)}`
  return stage
}

/** Undefined where a line would say nothing: the end of a file is told by its result. */
export function drawStep(transfer: Transfer): string | undefined {
  const { name, stage, processedPercent } = transfer
  if (stage === 'comparing') return `${name}: comparing what has arrived with the file`
  if (stage === 'sending') return `${name}: ${percentOf(sentShare(transfer))} sent`
  if (stage === 'processing') return `${name}: ${percentOf(processedPercent / 100)} processed`
  return undefined
}
