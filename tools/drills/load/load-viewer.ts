/** A viewer with nothing but a video's playback addresses, which must keep working until they expire. */
import type { assets } from '@reelkeep/contract'
import type { Chance } from '../../faults/support/random.ts'
import { type CallScene, read } from './load-call.ts'
import type { LoadLine } from './load-connection.ts'
import type { AssetRecord } from './load-record.ts'

/** Relative to the root of the server. */
type Known = { readonly path: string; bytes: number | undefined }

const ADDRESSES_MAX = 200

const isPlaylist = /\.m3u8(\?|$)/

export type ViewerScene = CallScene & {
  /** The address for playback. */
  readonly edge: LoadLine
  readonly chance: Chance
  readonly videos: readonly AssetRecord[]
}

export class Viewer {
  readonly #scene: ViewerScene
  readonly #known: Known[] = []
  readonly #opened = new Set<string>()

  constructor(scene: ViewerScene) {
    this.#scene = scene
  }

  async act(): Promise<void> {
    const { videos, chance } = this.#scene
    const next = videos.find(({ id }) => !this.#opened.has(id))
    if (next && this.#known.length < ADDRESSES_MAX) return this.#begin(next)
    if (this.#known.length > 0) await this.#fetch(chance.oneOf(this.#known))
  }

  /** Like a player: the multivariant playlist, one media playlist, its first segment and the key. */
  async #begin({ id }: AssetRecord): Promise<void> {
    const answer = await read(this.#scene, `assets/${id}/`)
    if (answer?.status !== 200) return
    const { playback_url, status } = (JSON.parse(answer.text) as assets.Asset).video
    // A playlist grows until the video is completed.
    if (!playback_url || status !== 'Completed') return
    this.#opened.add(id)
    const master = await this.#fetch(this.#know(playback_url, playback_url))
    const tracks = master && (await this.#fetch(this.#know(firstAddress(master), playback_url)))
    if (!tracks) return
    const key = /^#EXT-X-KEY:.*URI="([^"]+)"/m.exec(tracks)?.[1]
    for (const address of [firstAddress(tracks), key]) {
      if (address) await this.#fetch(this.#know(address, playback_url))
    }
  }

  #know(address: string, from: string): Known {
    const { pathname, search } = new URL(address, from)
    const known: Known = { path: pathname + search, bytes: undefined }
    this.#known.push(known)
    return known
  }

  async #fetch(known: Known): Promise<string | undefined> {
    const wish = { kind: 'view', method: 'GET', path: known.path } as const
    const answer = await this.#scene.edge.ask(wish)
    if (!answer) return undefined
    if (answer.status !== 200) {
      this.#scene.edge.fault(wish, answer)
      return undefined
    }
    // A cached playlist may name less than there is.
    if (known.path.includes('.m3u8')) return answer.text
    known.bytes ??= answer.bytes
    // Playlists also grow by later additions: chapters, subtitles.
    if (known.bytes !== answer.bytes && !isPlaylist.test(known.path)) {
      const { wrongReads } = this.#scene.record
      wrongReads.push(`${known.path} had ${known.bytes} bytes, and now has ${answer.bytes}`)
    }
    return answer.text
  }
}

/** The first line of a playlist that is not a tag. */
const firstAddress = (playlist: string) =>
  playlist.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? ''
