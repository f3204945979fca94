/** A viewer who only has the playback URLs of videos, which must keep working until they expire. */
import type { assets } from '@reelkeep/contract'
import type { Chance } from '../../faults/support/random.ts'
import { type CallContext, read } from './load-call.ts'
import type { LoadConnection } from './load-connection.ts'
import type { AssetRecord } from './load-record.ts'

/** A file to play; `path` is relative to the root of the server. */
type KnownFile = { readonly path: string; bytes: number | undefined }

const ADDRESSES_MAX = 200

export type ViewerContext = CallContext & {
  /** Connection to the edge, which serves playback. */
  readonly edge: LoadConnection
  readonly chance: Chance
  readonly videos: readonly AssetRecord[]
}

export class Viewer {
  readonly #context: ViewerContext
  readonly #known: KnownFile[] = []
  readonly #opened = new Set<string>()

  constructor(context: ViewerContext) {
    this.#context = context
  }

  async runAction(): Promise<void> {
    const { videos, chance } = this.#context
    const next = videos.find(({ id }) => !this.#opened.has(id))
    if (next && this.#known.length < ADDRESSES_MAX) return this.#startPlayback(next)
    if (this.#known.length > 0) await this.#fetch(chance.oneOf(this.#known))
  }

  /**
   * Fetches the same files as a player: the multivariant playlist, one media playlist, its first segment and the key.
   */
  async #startPlayback({ id }: AssetRecord): Promise<void> {
    const answer = await read(this.#context, `assets/${id}/`)
    if (answer?.status !== 200) return
    const { playback_url, status } = (JSON.parse(answer.text) as assets.Asset).video
    // Only completed videos are played, because other playlists still grow.
    if (!playback_url || status !== 'Completed') return
    this.#opened.add(id)
    const master = await this.#fetch(this.#add(playback_url, playback_url))
    const tracks = master && (await this.#fetch(this.#add(firstAddress(master), playback_url)))
    if (!tracks) return
    const key = /^#EXT-X-KEY:.*URI="([^"]+)"/m.exec(tracks)?.[1]
    for (const address of [firstAddress(tracks), key]) {
      if (address) await this.#fetch(this.#add(address, playback_url))
    }
  }

  #add(address: string, from: string): KnownFile {
    const { pathname, search } = new URL(address, from)
    const known: KnownFile = { path: pathname + search, bytes: undefined }
    this.#known.push(known)
    return known
  }

  async #fetch(known: KnownFile): Promise<string | undefined> {
    const request = { kind: 'view', method: 'GET', path: known.path } as const
    const answer = await this.#context.edge.sendUntilAnswered(request)
    if (!answer) return undefined
    if (answer.status !== 200) {
      this.#context.edge.recordFailure(request, answer)
      return undefined
    }
    // The size of a playlist may change: chapters and subtitles can be added, and an older version may be cached.
    if (known.path.includes('.m3u8')) return answer.text
    known.bytes ??= answer.bytes
    if (known.bytes !== answer.bytes) {
      const { wrongReads } = this.#context.record
      wrongReads.push(`${known.path} had ${known.bytes} bytes, and now has ${answer.bytes}`)
    }
    return answer.text
  }
}

/** The first line of a playlist that is not a tag. */
const firstAddress = (playlist: string) =>
  playlist.split('\n').find((connection) => connection !== '' && !connection.startsWith('#')) ?? ''
