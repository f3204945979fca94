/**
 * Caches manifests. Clients may request them without limit, and those of a long video are built from megabytes of
 * rows; so a manifest is written once per version of the video, even for concurrent requests.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** The largest manifest (DASH, 24 hours, all renditions) is about a fifth of it. */
const BYTES_MAX = 64 * 2 ** 20

export type KeptManifest = {
  readonly version: string
  readonly text: Buffer
  /** With the quotes that HTTP requires. */
  readonly etag: string
}

export class ManifestCache {
  readonly #kept: LRUCache<string, KeptManifest>
  readonly #underWay = new Map<string, Promise<KeptManifest>>()

  constructor(bytesMax: number = BYTES_MAX) {
    this.#kept = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ text }) => Math.max(1, text.length),
    })
  }

  /** An error of `write` rejects all waiting callers and is not cached. */
  async read(
    address: string,
    version: string,
    write: () => Promise<string>,
  ): Promise<KeptManifest> {
    const kept = this.#kept.get(address)
    if (kept?.version === version) return kept
    const name = `${address} ${version}`
    const waited = this.#underWay.get(name)
    if (waited) return waited
    const writing = this.#keep(address, version, write).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, writing)
    return writing
  }

  async #keep(address: string, version: string, write: () => Promise<string>) {
    const text = Buffer.from(await write())
    const hash = createHash('sha256').update(text).digest('base64url')
    const manifest = { version, text, etag: `"${hash.slice(0, ETAG_LETTERS)}"` }
    this.#kept.set(address, manifest)
    return manifest
  }
}

/** 132 bits: collisions do not occur. */
const ETAG_LETTERS = 22
