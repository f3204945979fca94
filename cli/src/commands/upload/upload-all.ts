/**
 * Uploads files, several in parallel, and optionally waits for processing. The failure of one file does not
 * stop the others.
 */
import { basename } from 'node:path'
import pLimit, { type LimitFunction } from 'p-limit'
import { type Asset, titleOfFile } from 'reelkeep'
import { printable } from '../../terminal/width.ts'
import type { FoundFile } from './files/find-files.ts'
import type { RemoteFolders } from './files/remote-folders.ts'
import { failureOf, type Outcome } from './outcome.ts'
import { watchVideo } from './progress/watch-video.ts'
import { sendFile, type UploadContext } from './send-file.ts'
import type { Transfers } from './transfers.ts'
import type { UploadSettings } from './upload-settings.ts'

export type Batch = {
  readonly files: readonly FoundFile[]
  readonly settings: UploadSettings
  /** Title of the asset; only for a single file. */
  readonly title: string | undefined
  readonly folders: RemoteFolders
  readonly concurrency: number
  readonly isWatching: boolean
  readonly context: UploadContext
  readonly transfers: Transfers
  readonly onNote: (text: string) => void
  readonly onPlayable: (path: string, asset: Asset) => void
  readonly onOutcome: (outcome: Outcome) => void
}

/**
 * Maximum number of videos to wait for while other files are uploaded. They share one event stream. Each video
 * is also polled, twice a minute with the stream and six times without.
 */
const WATCHED_AT_ONCE_MAX = 200

/** Uploads all files. Files that were not finished when the command was interrupted are omitted from the result. */
export async function uploadAll(batch: Batch): Promise<Outcome[]> {
  const { files, concurrency, isWatching, context, onOutcome } = batch
  const outcomes: Outcome[] = []
  const limitUploads = pLimit(concurrency)
  const limitFiles = pLimit(concurrency + (isWatching ? WATCHED_AT_ONCE_MAX : 0))
  await limitFiles.map(files, async (file, index) => {
    if (context.signal.aborted) return
    const outcome = await outcomeOf(file, index, { batch, limitUploads })
    if (context.signal.aborted && outcome.failure) return
    outcomes.push(outcome)
    onOutcome(outcome)
  })
  return outcomes
}

async function outcomeOf(
  file: FoundFile,
  index: number,
  { batch, limitUploads }: { readonly batch: Batch; readonly limitUploads: LimitFunction },
): Promise<Outcome> {
  const { path } = file
  const { isWatching, transfers, context } = batch
  let asset: Asset | undefined
  try {
    asset = await limitUploads(() => send(file, index, batch))
    if (isWatching) asset = await watch(asset, index, { batch, path })
    transfers.ended(index, 'done')
    return { path, asset }
  } catch (error) {
    transfers.ended(index, 'failed')
    // The file was uploaded even if waiting for its processing was interrupted.
    if (asset && context.signal.aborted) return { path, asset }
    return { path, failure: failureOf(error) }
  }
}

async function send(file: FoundFile, index: number, batch: Batch): Promise<Asset> {
  const { settings, title = titleOfFile(basename(file.path)), folders, context, transfers } = batch
  context.signal.throwIfAborted()
  const onNote = noteFor(batch, file.path)
  const folder = await folders.require(file.folders, onNote)
  const onSent = (sentBytes: number) => transfers.sent(index, sentBytes)
  const onArrived = (arrivedBytes: number) => transfers.arrived(index, arrivedBytes)
  const callbacks = { onSent, onArrived, onNote }
  return sendFile({ file, settings: { ...settings, title, folder }, ...callbacks }, context)
}

function watch(
  asset: Asset,
  index: number,
  { batch, path }: { readonly batch: Batch; readonly path: string },
): Promise<Asset> {
  const { context, transfers, onPlayable } = batch
  transfers.sent(index, asset.bytes ?? 0)
  return watchVideo(asset, {
    reelkeep: context.reelkeep,
    signal: context.signal,
    onPercent: (percent) => transfers.processed(index, percent),
    onPlayable: (playable) => onPlayable(path, playable),
    onNote: noteFor(batch, path),
  })
}

const noteFor = (batch: Batch, path: string) => (text: string) => batch.onNote(`${printable(path)}: ${text}`)
