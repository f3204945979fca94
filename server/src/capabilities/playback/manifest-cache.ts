/**
 * Manifests as they were written last. Everybody may ask for them, as often as they like, and those
 * of a long video are written from megabytes of rows; so they are written once for each version of
 * a video, however many ask for it at once.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** The largest, DASH of a day in all sizes, is about a fifth of it. */
const BYTES_MAX = 64 * 2 ** 20

export type KeptManifest = {
  readonly version: string
  readonly text: Buffer
  /** In quotes, as HTTP has it. */
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

  /** What `write` throws is told to all who wait for it, and not kept. */
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

/** 132 bits: no two of them are ever the same. */
const ETAG_LETTERS = 22
