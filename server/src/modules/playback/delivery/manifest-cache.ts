/**
 * Caches manifests. Clients may request them without limit, and those of a long video are built from megabytes of
 * rows; so a manifest is written once per version of the video, even for concurrent requests.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Maximum size of the cache. The largest manifest (DASH, 24 hours, all renditions) needs about a fifth of it. */
const BYTES_MAX = 64 * 2 ** 20

/** Memory that an entry needs besides its text: its name, and the objects of the cache. */
const ENTRY_BYTES = 1024

/** A manifest that was not requested for this long is deleted. */
const UNUSED_SECONDS_MAX = 600

export type CachedManifest = {
  readonly version: string
  readonly text: Buffer
  /** ETag with the quotes that HTTP requires. */
  readonly etag: string
}

export class ManifestCache {
  readonly #cached: LRUCache<string, CachedManifest>
  readonly #pending = new Map<string, Promise<CachedManifest>>()

  constructor(bytesMax: number = BYTES_MAX) {
    this.#cached = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ text }) => ENTRY_BYTES + text.length,
      ...{ ttl: UNUSED_SECONDS_MAX * 1000, updateAgeOnGet: true, ttlAutopurge: true },
    })
  }

  /** An error of `write` rejects all waiting callers and is not cached. */
  async read(name: string, version: string, write: () => Promise<string>): Promise<CachedManifest> {
    const cached = this.#cached.get(name)
    if (cached?.version === version) return cached
    const pendingKey = `${name} ${version}`
    const pending = this.#pending.get(pendingKey)
    if (pending) return pending
    const writing = this.#load(name, version, write).finally(() => this.#pending.delete(pendingKey))
    this.#pending.set(pendingKey, writing)
    return writing
  }

  async #load(name: string, version: string, write: () => Promise<string>) {
    const text = withOwnMemory(await write())
    const hash = createHash('sha256').update(text).digest('base64url')
    const manifest = { version, text, etag: `"${hash.slice(0, ETAG_LETTERS)}"` }
    this.#cached.set(name, manifest)
    return manifest
  }
}

/** `Buffer.from` would return a slice of 64 KiB, which stay in memory for as long as one of their slices is kept. */
function withOwnMemory(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  buffer.write(text)
  return buffer
}

/** Length of an ETag: 132 bits of the hash, so that collisions do not occur. */
const ETAG_LETTERS = 22
