import type { PublishedFiles, StoredFile } from '../../modules/published-files/published-files.ts'

type ListedObject = {
  readonly key: string
  readonly bytes: number
  readonly etag: string
  readonly storedAt: Date
}

const md5Form = /^[0-9a-f]{32}$/

export const isMd5 = (etag: string) => md5Form.test(etag)

/** Whether the listing shows another object than the stored one. An ETag that is not an MD5 hash is ignored. */
export function isDamaged({ bytes, md5 }: StoredFile, listed: ListedObject | undefined): boolean {
  if (listed?.bytes !== bytes) return true
  return isMd5(listed.etag) && listed.etag !== md5.toString('hex')
}

/** Files in these folders belong to clients. */
const clientFolders: readonly string[] = ['subtitles/', 'covers/']

const LOST_AFTER_SECONDS = 24 * 3600

type Listing = {
  /** Prefix of the asset. */
  readonly prefix: string
  readonly published: readonly Pick<PublishedFiles, 'prefix'>[]
  readonly listed: readonly Pick<ListedObject, 'key' | 'storedAt'>[]
  readonly now: Date
}

/**
 * Folders of attempts that published nothing and have not written for a day: longer than an attempt runs. An attempt
 * that was presumed dead may have written after its outputs were cleaned up.
 */
export function lostFolders({ prefix, published, listed, now }: Listing): string[] {
  const known = new Set(published.map((row) => row.prefix))
  const newest = new Map<string, number>()
  for (const { key, storedAt } of listed) {
    const folder = key.slice(prefix.length, key.indexOf('/', prefix.length) + 1)
    if (clientFolders.includes(folder) || known.has(`${prefix}${folder}`)) continue
    newest.set(folder, Math.max(newest.get(folder) ?? 0, storedAt.getTime()))
  }
  const lostBefore = now.getTime() - LOST_AFTER_SECONDS * 1000
  return [...newest].filter(([, storedAt]) => storedAt < lostBefore).map(([folder]) => folder)
}
