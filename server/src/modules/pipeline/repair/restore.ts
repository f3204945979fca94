/**
 * Restores damaged files from their copies in the backup. They get the bytes that were published, under the same name:
 * URLs, encryption and what caches have of them stay valid.
 */
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import { lockAssetQuery, recordTimeline } from '../../assets/assets.ts'
import { type PublishedFiles, readIntact, recordIntact } from '../../published-files/published-files.ts'
import type { PipelineDeps } from '../attempt.ts'
import { filesRepaired } from '../pipeline.rules.ts'

type RestoreDeps = Pick<PipelineDeps, 'media' | 'copies'>

/** Returns the files that are still damaged, because there is no copy of them. */
export async function restore(
  { media, copies }: RestoreDeps,
  db: OrganizationDb,
  files: PublishedFiles,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { assetId, prefix } = files
  const intact: string[] = []
  const restored: string[] = []
  for (const file of files.files.filter(({ name }) => files.damaged.includes(name))) {
    // Read again: storage may have answered wrongly, or an earlier repair may have been interrupted.
    if (await readIntact(media, prefix, file, signal)) intact.push(file.name)
    else if (await restoreFile({ media, copies }, { prefix, file }, signal)) restored.push(file.name)
  }
  // A client may have removed a file in the meantime.
  const names = new Set(files.files.map(({ name }) => name))
  const removed = files.damaged.filter((name) => !names.has(name))
  const damaged = await db.transaction(async (tx) => {
    const [[asset]] = await tx.run(lockAssetQuery({ id: assetId }))
    if (asset && restored.length > 0) await recordTimeline(tx, asset, filesRepaired(restored.length))
    return recordIntact(tx, { assetId, prefix, intact: [...intact, ...restored, ...removed] })
  })
  if (!damaged) await deleteFiles(media, prefix, restored)
  return damaged ?? []
}

type DamagedFile = { readonly prefix: string; readonly file: PublishedFiles['files'][number] }

async function restoreFile({ media, copies }: RestoreDeps, { prefix, file }: DamagedFile, signal: AbortSignal) {
  const body = await readIntact(copies, prefix, file, signal)
  if (!body) return false
  const key = `${prefix}${file.name}`
  await media.putVerified({ key, body, type: typeOf(key) }, signal)
  return true
}

/** The files are no longer published: their asset was deleted or processed again. */
async function deleteFiles(media: MediaBucket, prefix: string, names: readonly string[]): Promise<void> {
  for (const name of names) await media.deleteAll(`${prefix}${name}`)
}

const types: Readonly<Record<string, string>> = {
  vtt: 'text/vtt',
  jpg: 'image/jpeg',
  json: 'application/json',
  gz: 'application/gzip',
}

function typeOf(key: string): string {
  const extension = key.split('.').at(-1) ?? ''
  return types[extension] ?? (key.includes('/audio/') ? 'audio/mp4' : 'video/mp4')
}
