import type { Caller } from '../caller.ts'
import { openSession } from '../storage/upload.ts'
import { TestApi } from '../test-api.ts'
import { assetToken } from './asset-token.ts'
import { Publisher, type VideoPlan, type VideoRef } from './published-video.ts'

/** A plan for a 12-second video with audio and two sizes, three segments each. */
const plan = {
  durationSeconds: 12,
  frameRate: { numerator: 30, denominator: 1 },
  frames: 360,
  segmentFrames: 120,
  gopFrames: 120,
  audio: { channels: 2, sampleRate: 48_000 },
  tracks: [
    { name: 'audio', bitrateMax: 128_000, segmentsTotal: 3, codecs: 'mp4a.40.2' },
    {
      ...{ name: '720p', width: 1280, height: 720 },
      ...{ bitrateMax: 3e6, segmentsTotal: 3, codecs: 'avc1.64001f' },
    },
    {
      ...{ name: '240p', width: 426, height: 240 },
      ...{ bitrateMax: 4e5, segmentsTotal: 3, codecs: 'avc1.64000d' },
    },
  ],
}

const segment = (text: string) => ({
  body: text,
  seconds: 4,
  keyframes: [{ offset: 0, bytes: 3, seconds: 4 }],
})

/**
 * Playback with rows and objects like those that processing creates. There is one video at a time, each in its own
 * organization.
 */
export class PlaybackFixture implements AsyncDisposable {
  readonly testApi: TestApi
  readonly publisher: Publisher
  readonly plan = plan
  /** The first segment of the smallest rendition. */
  readonly small0 = 'video-encode-1/240p/00000.m4s'
  caller: Caller
  /** The video that the test requests. */
  place: VideoRef

  private constructor(parts: Pick<PlaybackFixture, 'testApi' | 'publisher' | 'caller' | 'place'>) {
    this.testApi = parts.testApi
    this.publisher = parts.publisher
    this.caller = parts.caller
    this.place = parts.place
  }

  static async open(settings: Record<string, string> = {}): Promise<PlaybackFixture> {
    const [testApi, publisher] = await Promise.all([TestApi.open(settings), Publisher.open()])
    const caller = await testApi.newOrganization()
    const place = { organizationId: caller.organizationId, assetId: '' }
    return new PlaybackFixture({ testApi, publisher, caller, place })
  }

  /** Creates an organization with a planned video of which nothing is published yet. */
  async begin(): Promise<void> {
    this.caller = await this.testApi.newOrganization()
    await this.newVideo()
  }

  async newVideo(more: object = {}, itsPlan: VideoPlan = plan): Promise<void> {
    const input = { content_protection_type: 'disable', ...more }
    const { asset } = await openSession(this.caller, input)
    this.place = { organizationId: this.caller.organizationId, assetId: asset.id }
    await this.publisher.plan(this.place, itsPlan)
  }

  publish(track: string, firstSegment: number, ...texts: readonly string[]): Promise<void> {
    return this.publisher.publish(this.place, {
      ...{ track, firstSegment, attempt: `video-encode-${firstSegment + 1}` },
      ...{ init: `init of ${track}`, segments: texts.map(segment) },
    })
  }

  async publishOpening(): Promise<void> {
    await this.publish('240p', 0, 'small 0')
    await this.publish('audio', 0, 'sound 0')
  }

  async publishAll(): Promise<void> {
    await this.publishOpening()
    await this.publish('240p', 1, 'small 1', 'small 2')
    await this.publish('audio', 1, 'sound 1', 'sound 2')
    await this.publish('720p', 0, 'large 0', 'large 1', 'large 2')
  }

  /** Returns the path of a file, with the playback token that the API issues to callers who may read the asset. */
  pathTo(name: string, { organizationId, assetId }: VideoRef = this.place): string {
    const token = assetToken(this.testApi.context.tokenIssuer, { organizationId, assetId })
    return `/play/${token}/${organizationId}/${assetId}/${name}`
  }

  ask(name: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
    return this.testApi.send({ method, path: this.pathTo(name), headers, body: undefined })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.testApi[Symbol.asyncDispose]()
    await this.publisher[Symbol.asyncDispose]()
  }
}
