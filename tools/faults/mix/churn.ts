/**
 * Videos that are uploaded, encoded, played and deleted again, in an organization with a quota of assets. At the end,
 * nothing of them may be left.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { assets } from '@reelkeep/contract'
import { read, write } from '../../drills/load/load-call.ts'
import { type Endpoint, LoadConnection, RateLimiter } from '../../drills/load/load-connection.ts'
import { LoadRecord } from '../../drills/load/load-record.ts'
import { openUpload, sendUpload, type UploadContext } from '../../drills/load/load-uploads.ts'
import { Chance } from '../support/random.ts'

export type ChurnOptions = {
  readonly api: Endpoint
  readonly organizationId: string
  readonly token: string
  readonly seed: number
  readonly videosPerMinute: number
}

/** Where a video is deleted: before its file was sent, when its duration is known, or when it is encoded. */
const stages = ['created', 'probed', 'completed', 'completed'] as const

const LANES = 3
const REQUESTS_PER_SECOND = 10
const RETRY_SECONDS = 600
/** Time limit for a video to be encoded during faults. A worker that is killed repeatedly starts again each time. */
const ENCODED_SECONDS_MAX = 1200
const PAUSE_MILLISECONDS = 1000

export class Churn {
  readonly record: LoadRecord
  /** Numbers of videos that were created, played, deleted, and created by a late attempt. */
  readonly counts = { created: 0, played: 0, deleted: 0, late: 0 }
  readonly violations: string[] = []
  readonly #context: UploadContext
  readonly #connection: LoadConnection
  readonly #rate: RateLimiter
  readonly #running: Promise<unknown>
  readonly #stopping = new AbortController()
  #number = 0

  constructor({ api, organizationId, token, seed, videosPerMinute }: ChurnOptions) {
    this.record = new LoadRecord(organizationId)
    // Started videos are also deleted after the end of the load, so requests do not end with it.
    const { signal: stopSignal } = new AbortController()
    const rateLimiter = new RateLimiter(REQUESTS_PER_SECOND)
    const options = { record: this.record, rateLimiter, retrySeconds: RETRY_SECONDS, stopSignal }
    this.#connection = new LoadConnection(api, options)
    const shared = { connection: this.#connection, record: this.record, token: () => token }
    this.#context = { ...shared, stopSignal, newTitle: (kind) => `${kind} of churn ${++this.#number}` }
    this.#rate = new RateLimiter(videosPerMinute / 60)
    const chance = new Chance(seed)
    const lanes = Array.from({ length: LANES }, () => this.#runLane(new Chance(chance.integer(0, 2 ** 31))))
    this.#running = Promise.all(lanes)
    // Prevents an unhandled rejection; `stop` reports the error.
    this.#running.catch(() => undefined)
  }

  /** Resolves when every video is deleted. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#deleteLateCreations()
    this.#connection[Symbol.dispose]()
  }

  /** Requests that were refused because of the quota. */
  get overQuota(): number {
    return this.record.failed.filter(({ detail }) => detail.includes('quota_exceeded')).length
  }

  async #runLane(chance: Chance): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      await this.#rate.wait(signal)
      if (signal.aborted) return
      await this.#runVideo(chance)
    }
  }

  async #runVideo(chance: Chance): Promise<void> {
    const stage = chance.oneOf(stages)
    const opened = await openUpload(this.#context, ++this.#number, chance.oneOf(['form', 'parts'] as const))
    if (!opened) return void (await sleep(PAUSE_MILLISECONDS))
    this.counts.created++
    const { id } = opened.record
    const isProbed = stage !== 'created' && (await sendUpload(this.#context, opened)) !== undefined
    if (isProbed && stage === 'completed') await this.#play(id)
    const deleted = await write(this.#context, { method: 'DELETE', path: `assets/${id}/?permanently=true` })
    if (!deleted) return void this.violations.push(`the deletion of ${id} was not acknowledged`)
    this.counts.deleted++
    const found = await read(this.#context, `assets/${id}/`)
    if (found && found.status !== 404) this.violations.push(`${id} is deleted, but its status is ${found.status}`)
  }

  /**
   * An attempt that was delayed by a fault can create a video after its repetition was refused because of the quota. The
   * client cannot know the video, so it is deleted here.
   */
  async #deleteLateCreations(): Promise<void> {
    const titles = new Set(this.record.refusedRepeats.map((body) => (body as { title?: string }).title))
    if (titles.size === 0) return
    const everyStatus = assets.videoStatuses.map((status) => `status=${encodeURIComponent(status)}`).join('&')
    const answer = await read(this.#context, `assets/?limit=100&fields=id,title&${everyStatus}`)
    const { results } = JSON.parse(answer?.text ?? '{"results":[]}') as { results: { id: string; title: string }[] }
    for (const { id } of results.filter(({ title }) => titles.has(title))) {
      if (await write(this.#context, { method: 'DELETE', path: `assets/${id}/?permanently=true` })) this.counts.late++
    }
  }

  /** Waits until the video is encoded, and reads its playlists and a segment. */
  async #play(id: string): Promise<void> {
    const deadline = performance.now() + ENCODED_SECONDS_MAX * 1000
    while (performance.now() < deadline) {
      const answer = await read(this.#context, `assets/${id}/`)
      const { video } = JSON.parse(answer?.text ?? '{}') as assets.Asset
      if (video?.status === 'Completed') return this.#playFrom(video.playback_url ?? '')
      if (video?.status === 'Error') return void this.violations.push(`${id}: ${video.error?.detail}`)
      await sleep(PAUSE_MILLISECONDS)
    }
    this.violations.push(`${id} was not encoded within ${ENCODED_SECONDS_MAX} s`)
  }

  async #playFrom(playbackUrl: string): Promise<void> {
    let address = playbackUrl
    for (let depth = 0; depth < 3; depth++) {
      const { pathname, search } = new URL(address)
      const request = { kind: 'view', method: 'GET', path: pathname + search } as const
      const answer = await this.#connection.sendUntilAnswered(request)
      if (answer?.status !== 200) return void this.violations.push(`${address} returned ${answer?.status}`)
      const next = answer.text.split('\n').find((line) => line !== '' && !line.startsWith('#'))
      address = new URL(next ?? '', address).href
    }
    this.counts.played++
  }
}
