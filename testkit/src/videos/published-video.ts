import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { type StackEnv, stackEnv } from '../processes/stack.ts'
import { storageOf } from '../storage/storage.ts'
import { Superuser } from '../superuser.ts'

export type VideoRef = { readonly organizationId: string; readonly assetId: string }

/** A track as stored in a plan. */
export type TrackPlan = {
  readonly name: string
  /** Width in pixels; undefined for audio, like `height`. */
  readonly width?: number
  readonly height?: number
  readonly bitrateMax: number
  readonly segmentsTotal: number
  readonly codecs: string
}

export type VideoPlan = {
  readonly durationSeconds: number
  readonly frameRate: { readonly numerator: number; readonly denominator: number }
  /** Number of frames; clips and trims need it. */
  readonly frames?: number
  readonly segmentFrames: number
  readonly gopFrames: number
  readonly audio: { readonly channels: number; readonly sampleRate: number } | null
  readonly tracks: readonly TrackPlan[]
}

type PublishedSegment = {
  readonly body: Uint8Array | string
  readonly seconds: number
  readonly keyframes?: readonly { offset: number; bytes: number; seconds: number }[]
}

export type NewPart = {
  readonly track: string
  readonly firstSegment: number
  /** The attempt whose name is the prefix of the files, such as "video-encode-3". */
  readonly attempt: string
  readonly init: Uint8Array | string
  readonly segments: readonly PublishedSegment[]
}

/** Publishes a video row by row, like processing does, so that a test controls how the video grows. */
export class Publisher implements AsyncDisposable {
  readonly #superuser: Superuser
  readonly #bucket: MediaBucket

  private constructor(superuser: Superuser, bucket: MediaBucket) {
    this.#superuser = superuser
    this.#bucket = bucket
  }

  static async open(env: StackEnv = stackEnv()): Promise<Publisher> {
    return new Publisher(await Superuser.open(env), new MediaBucket(storageOf(env)))
  }

  async plan(place: VideoRef, { tracks, ...plan }: VideoPlan): Promise<void> {
    const of = [place.organizationId, place.assetId]
    await this.setStatus(place, 'Processing')
    await this.#superuser.query('insert into asset_plans values ($1, $2, $3)', [...of, plan])
    for (const { name, width, height, bitrateMax, segmentsTotal, codecs } of tracks) {
      await this.#superuser.query(
        `insert into renditions (organization_id, asset_id, name, width, height, bitrate_max, segments_total, codecs)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [...of, name, width, height, bitrateMax, segmentsTotal, codecs],
      )
    }
  }

  /** Stores the files first, then the row that makes them playable. */
  async publish({ organizationId, assetId }: VideoRef, part: NewPart): Promise<void> {
    const prefix = `${organizationId}/${assetId}/${part.attempt}/`
    const init = `${prefix}${part.track}/init.mp4`
    await this.put(init, part.init)
    for (const [index, { body }] of part.segments.entries()) {
      const number = String(part.firstSegment + index).padStart(5, '0')
      await this.put(`${prefix}${part.track}/${number}.m4s`, body)
    }
    const of = [organizationId, assetId, part.track]
    await this.#superuser.query(
      `update renditions set init_key = coalesce(init_key, $4), segments_done = segments_done + $5
       where organization_id = $1 and asset_id = $2 and name = $3`,
      [...of, init, part.segments.length],
    )
    const segments = part.segments.map(({ body, seconds, keyframes = [] }) => ({
      seconds,
      bytes: body.length,
      keyframes,
    }))
    await this.#superuser.query('insert into rendition_parts values ($1, $2, $3, $4, $5, $6)', [
      ...of,
      part.firstSegment,
      prefix,
      JSON.stringify(segments),
    ])
    await this.#superuser.query(
      'update assets set playable_at = coalesce(playable_at, now()) where organization_id = $1 and id = $2',
      [organizationId, assetId],
    )
  }

  /** The content of each file is its own name. */
  async showPictures(
    { organizationId, assetId }: VideoRef,
    attempt: string,
    names: { cover: string; thumbnails: readonly string[]; storyboard: string },
  ): Promise<void> {
    const keyOf = (name: string) => `${organizationId}/${assetId}/${attempt}/${name}`
    for (const name of [names.cover, ...names.thumbnails, names.storyboard]) {
      await this.put(keyOf(name), name)
    }
    await this.#superuser.query(
      `update assets set cover_key = $3, thumbnail_keys = $4, storyboard_key = $5
       where organization_id = $1 and id = $2`,
      [organizationId, assetId, keyOf(names.cover), names.thumbnails.map(keyOf), keyOf(names.storyboard)],
    )
  }

  async put(key: string, body: Uint8Array | string): Promise<void> {
    const type = 'application/octet-stream'
    await this.#bucket.put({ key, body, type }, AbortSignal.timeout(PUT_SECONDS_MAX * 1000))
  }

  async setLength({ organizationId, assetId }: VideoRef, seconds: number): Promise<void> {
    await this.#superuser.query('update assets set duration_seconds = $3 where organization_id = $1 and id = $2', [
      organizationId,
      assetId,
      seconds,
    ])
  }

  async setStatus({ organizationId, assetId }: VideoRef, status: string): Promise<void> {
    await this.#superuser.query('update assets set status = $3 where organization_id = $1 and id = $2', [
      organizationId,
      assetId,
      status,
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bucket[Symbol.dispose]()
    await this.#superuser[Symbol.asyncDispose]()
  }
}

const PUT_SECONDS_MAX = 30
