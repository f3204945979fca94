import { type Reelkeep, titleOfFile } from 'reelkeep'
import { fingerprintOf, type QueuedUpload, type UploadQueue } from 'reelkeep/queue'
import type { PickedFile } from './picked-files.ts'

type Context = {
  readonly client: Reelkeep
  readonly queue: UploadQueue
  /** Folder to which the files are added. */
  readonly folder: string | null
}

/** Videos of the folder that are compared, the newest ones. */
const COMPARED_MAX = 500
const PAGE_MAX = 100

/**
 * The files that are in the queue already, or in the folder with the same name and size, each with the name of the file
 * that was uploaded before.
 */
export async function duplicatesIn(
  files: readonly PickedFile[],
  context: Context,
): Promise<ReadonlyMap<PickedFile, string>> {
  const inFolder = await videosIn(
    context,
    files.some(({ folders }) => folders.length === 0),
  )
  const duplicates = new Map<PickedFile, string>()
  for (const picked of files) {
    const { file, folders } = picked
    const isInFolder = folders.length === 0 && inFolder.has(keyOf(titleOfFile(file.name), file.size))
    const earlier = isInFolder ? file : await queuedLike(file, context.queue.uploads)
    if (earlier) duplicates.set(picked, earlier.name)
  }
  return duplicates
}

const keyOf = (title: string | undefined, bytes: number | null | undefined) => JSON.stringify([title, bytes])

async function videosIn({ client, folder }: Context, isNeeded: boolean): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (!isNeeded) return found
  const query = { folder: folder ?? 'root', fields: 'title,bytes', limit: PAGE_MAX } as const
  for await (const { title, bytes } of client.assets.list(query)) {
    found.add(keyOf(title, bytes))
    if (found.size >= COMPARED_MAX) break
  }
  return found
}

const isKept = ({ state }: QueuedUpload) => state !== 'failed' && state !== 'cancelled'

/** Reads the file only if an upload has the same size. */
async function queuedLike(file: File, uploads: readonly QueuedUpload[]): Promise<QueuedUpload | undefined> {
  const sameSize = uploads.filter((upload) => upload.bytes === file.size && isKept(upload))
  if (sameSize.length === 0) return undefined
  const fingerprint = await fingerprintOf(file)
  return sameSize.find((upload) => upload.fingerprint === fingerprint)
}
