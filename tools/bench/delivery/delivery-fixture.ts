import { createHash } from 'node:crypto'
import type { accessTokens } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { setOpen } from '@reelkeep/server/modules/organizations/organizations.ts'
import { recordPublished } from '@reelkeep/server/modules/published-files/published-files.ts'
import { openOwner, openSession, Publisher } from '@reelkeep/testkit'
import type { openBenchService } from '../support/bench-service.ts'
import { inFlight } from '../support/in-flight.ts'

type Service = Awaited<ReturnType<typeof openBenchService>>

/** Number of segments, for two minutes of video. */
const SEGMENTS = 30
const SEGMENT_SECONDS = 4
const SEGMENT_BYTES = 64 * 1024
/** Size of the last segments. */
const LARGE_BYTES = 1024 * 1024
const CONCURRENCY = 8
const ATTEMPT = 'video-encode-1'
const INIT = 'init'

const tracks = [
  { name: '240p', width: 426, height: 240, bitrateMax: 4e5, codecs: 'avc1.64000d' },
  { name: 'audio', bitrateMax: 128_000, codecs: 'mp4a.40.2' },
].map((track) => ({ ...track, segmentsTotal: SEGMENTS }))

/** Creates a complete video in a public organization, and tokens for this many viewers. */
export async function openDelivery({ env, caller, organizationId }: Service, viewers: number) {
  await using owner = openOwner(env)
  const db = owner.forOrganization(organizationId as OrganizationId)
  await setOpen(db, true)
  await using publisher = await Publisher.open(env)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  const place = { organizationId, assetId: asset.id }
  await publisher.plan(place, {
    durationSeconds: SEGMENTS * SEGMENT_SECONDS,
    frameRate: { numerator: 30, denominator: 1 },
    ...{ segmentFrames: 120, gopFrames: 120, tracks },
    audio: { channels: 2, sampleRate: 48_000 },
  })
  const segments = Array.from({ length: SEGMENTS }, (_, number) => ({
    body: Buffer.alloc(number === SEGMENTS - 1 ? LARGE_BYTES : SEGMENT_BYTES, number),
    seconds: SEGMENT_SECONDS,
  }))
  for (const { name: track } of tracks) {
    await publisher.publish(place, { track, firstSegment: 0, attempt: ATTEMPT, init: INIT, segments })
  }
  const files = ['init.mp4', ...segments.map((_, number) => `${String(number).padStart(5, '0')}.m4s`)]
  const contents = [INIT, ...segments.map(({ body }) => body)]
  const stored = tracks.flatMap(({ name: track }) =>
    contents.map((body, index) => ({
      ...{ name: `${track}/${files[index]}`, bytes: body.length },
      md5: createHash('md5').update(body).digest(),
    })),
  )
  const prefix = `${organizationId}/${asset.id}/${ATTEMPT}/`
  await recordPublished(db, asset.id as AssetId, { prefix, step: 'video-encode', part: '', files: stored })
  await publisher.setStatus(place, 'Completed')
  const tokens: string[] = []
  await inFlight(Array.from({ length: viewers }), CONCURRENCY, async () => {
    const path = `assets/${asset.id}/access-tokens/`
    const { body } = await caller.post<accessTokens.NewAccessToken>(path, {})
    tokens.push(body.token)
  })
  return {
    tokens,
    playlists: ['master.m3u8', ...tracks.map(({ name }) => `${name}.m3u8`)],
    /** Files in the order in which a player fetches them. */
    mediaFiles: files.flatMap((file) => tracks.map(({ name }) => `${ATTEMPT}/${name}/${file}`)),
    /** Key of a file in the bucket. */
    keyOf: (name: string) => `${organizationId}/${asset.id}/${name}`,
    /** Requested by an edge before it delivers a file that it has. */
    accessPathOf: (token: string) => `/play-access/${token}/${organizationId}/${asset.id}/`,
    pathOf: (token: string, name: string) => `/play/${token}/${organizationId}/${asset.id}/${name}`,
  }
}
