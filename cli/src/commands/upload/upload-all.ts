/** Sends files, several at once, and watches over what becomes of them. One that fails does not stop the others. */
import { basename } from 'node:path'
import { type Asset, titleOfFile } from 'reelkeep'
import { printable } from '../../terminal/width.ts'
import type { FoundFile } from './found-files.ts'
import { Gate } from './gate.ts'
import { failureOf, type Outcome } from './outcome.ts'
import type { RemoteFolders } from './remote-folders.ts'
import { type Sending, sendFile } from './send-file.ts'
import type { Transfers } from './transfers.ts'
import { watchVideo } from './watched-video.ts'
import type { Wish } from './wish.ts'

export type Batch = {
  readonly files: readonly FoundFile[]
  readonly wish: Wish
  /** Of the only file. */
  readonly title: string | undefined
  readonly folders: RemoteFolders
  readonly atOnce: number
  readonly isWatching: boolean
  readonly sending: Sending
  readonly transfers: Transfers
  readonly onNote: (text: string) => void
  readonly onPlayable: (path: string, asset: Asset) => void
  readonly onOutcome: (outcome: Outcome) => void
}

/**
 * Videos that are made while other files are sent. They share one stream; each is looked at twice a
 * minute beside it, and six times where there is none, which a service bears from so many.
 */
const WATCHED_AT_ONCE_MAX = 200

/** Those that were not begun or not ended when somebody interrupted are left out. */
export async function uploadAll(batch: Batch): Promise<Outcome[]> {
  const { files, atOnce, isWatching, sending, onOutcome } = batch
  const outcomes: Outcome[] = []
  const gate = new Gate(atOnce)
  const queue = files.entries()
  const work = async () => {
    for (const [index, file] of queue) {
      if (sending.signal.aborted) return
      const outcome = await outcomeOf(file, index, { batch, gate })
      if (sending.signal.aborted && outcome.failure) return
      outcomes.push(outcome)
      onOutcome(outcome)
    }
  }
  const hands = atOnce + (isWatching ? WATCHED_AT_ONCE_MAX : 0)
  await Promise.all(Array.from({ length: hands }, work))
  return outcomes
}

async function outcomeOf(
  file: FoundFile,
  index: number,
  { batch, gate }: { readonly batch: Batch; readonly gate: Gate },
): Promise<Outcome> {
  const { path } = file
  const { isWatching, transfers, sending } = batch
  let asset: Asset | undefined
  try {
    asset = await gate.through(() => send(file, index, batch))
    if (isWatching) asset = await watch(asset, index, { batch, path })
    transfers.ended(index, 'done')
    return { path, asset }
  } catch (error) {
    transfers.ended(index, 'failed')
    // Whoever stops watching has a file that arrived nevertheless.
    if (asset && sending.signal.aborted) return { path, asset }
    return { path, failure: failureOf(error) }
  }
}

async function send(file: FoundFile, index: number, batch: Batch): Promise<Asset> {
  const { wish, title = titleOfFile(basename(file.path)), folders, sending, transfers } = batch
  sending.signal.throwIfAborted()
  const onNote = (text: string) => batch.onNote(`${printable(file.path)}: ${text}`)
  const folder = await folders.require(file.folders, onNote)
  const onSent = (sentBytes: number) => transfers.sent(index, sentBytes)
  const onArrived = (arrivedBytes: number) => transfers.arrived(index, arrivedBytes)
  const told = { onSent, onArrived, onNote }
  return sendFile({ file, wish: { ...wish, title, folder }, ...told }, sending)
}

function watch(
  asset: Asset,
  index: number,
  { batch, path }: { readonly batch: Batch; readonly path: string },
): Promise<Asset> {
  const { sending, transfers, onPlayable } = batch
  transfers.sent(index, asset.bytes ?? 0)
  return watchVideo(asset, {
    reelkeep: sending.reelkeep,
    signal: sending.signal,
    onPercent: (percent) => transfers.processed(index, percent),
    onPlayable: (playable) => onPlayable(path, playable),
  })
}
