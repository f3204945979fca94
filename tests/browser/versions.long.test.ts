/** A viewer in Chromium watches a video across the switch to another version, and after a rollback. */
import type { assets, versions } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { activateCompleted } from '@reelkeep/server/modules/versions/versions.ts'
import {
  ApiProcess,
  Caller,
  freePort,
  HttpProxy,
  latency,
  newOrganization,
  openDatabase,
  openOwner,
  Publisher,
  postForm,
  Superuser,
  stackEnv,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { packageVideo, SEGMENT_SECONDS } from './packaged-video.ts'
import { type Engine, openPlayers } from './players.ts'

const SEGMENTS = 8
const TRACKS = ['240p', '480p', 'audio']
/** Segments that a viewer can fetch before the switch. */
const BEFORE_SWITCH = 3

const port = await freePort()
const proxy = await opened(HttpProxy.open('http://127.0.0.1:1', port))
const api = await opened(ApiProcess.start({ PLAYBACK_URL: `http://127.0.0.1:${port}/play` }))
proxy.target = api.baseUrl
const publisher = await opened(Publisher.open())
const superuser = await opened(Superuser.open())
const database = openDatabase(stackEnv().DATABASE_URL)
afterAll(() => database[Symbol.asyncDispose]())
const players = await opened(openPlayers())
const [first, second] = [await packageVideo(SEGMENTS), await packageVideo(SEGMENTS - 2)]

let caller: Caller
let id: string
beforeEach(async () => {
  proxy.reset()
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  caller = new Caller(api.send, organizationId, token)
  id = (await uploadAsset(caller, { content_protection_type: 'disable' })).asset.id
  await process(id, first, SEGMENTS)
})

async function process(assetId: string, { plan, part }: typeof first, segments: number): Promise<void> {
  const video = { organizationId: caller.organizationId, assetId }
  await publisher.plan(video, plan)
  for (const track of TRACKS) await publisher.publish(video, part(track, 0, segments))
  await publisher.setLength(video, segments * SEGMENT_SECONDS)
  await publisher.setStatus(video, 'Completed')
}

/** Uploads a shorter version, and shows it as the worker does when it has processed the file. */
async function switchToSecond(): Promise<void> {
  const { body } = await caller.post<versions.NewVersion>(`assets/${id}/versions/`, {})
  await postForm(body)
  await caller.post(`assets/upload-sessions/${body.upload_session.uuid}/complete/`)
  const [row] = await superuser.query<{ id: string }>('select id from assets where version_of = $1', [id])
  await process(row?.id ?? '', second, SEGMENTS - 2)
  const db = database.forOrganization(caller.organizationId as OrganizationId)
  await activateCompleted({ formSecondsMax: 60 }, db, { assetId: id as AssetId, number: body.version.number })
}

const read = async () => (await caller.get<assets.Asset>(`assets/${id}/`)).body
const pathOf = (url: string | null) => new URL(url ?? '').pathname.split('/').slice(4).join('/')
const segmentsOf = (folder: string) =>
  proxy.requests.filter(({ path }) => path.includes(`/${id}/${folder}video-encode-`) && path.endsWith('.m4s')).length

/** A new viewer watches the video; returns the position at the end. */
async function watchToEnd(engine: Engine, url: string): Promise<number> {
  await using viewer = await players.play({ engine, url, rate: 2 })
  const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
  expect(seen).toMatchObject({ errors: [], hasEnded: true })
  return seen.currentSeconds
}

it.each<[Engine, string]>([
  ['hls.js', 'master.m3u8'],
  ['shaka', 'manifest.mpd'],
  ['dash.js', 'manifest.mpd'],
])(
  '%s goes on playing the earlier version from %s to its end, and a new viewer gets the new one',
  async (engine, name) => {
    const before = await read()
    const url = new URL(name, before.video.playback_url ?? '').href
    let release: () => void = () => {}
    const switched = new Promise<void>((resolve) => {
      release = resolve
    })
    const isLate = (path: string) => Number(/(\d{5})\.m4s$/.exec(path)?.[1] ?? 0) >= BEFORE_SWITCH
    proxy.rules = [{ match: ({ path }) => isLate(path), action: latency(() => switched) }]

    {
      await using viewer = await players.play({ engine, url })
      await viewer.watchUntil(({ currentSeconds }) => currentSeconds > 1)
      await switchToSecond()
      const earlier = segmentsOf('')
      release()
      const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
      expect(seen).toMatchObject({ errors: [], hasEnded: true })
      expect(seen.currentSeconds).toBeCloseTo(SEGMENTS * SEGMENT_SECONDS, 0)
      // The rest of the earlier version was fetched after the switch, and nothing of the new one.
      expect(segmentsOf('')).toBeGreaterThan(earlier)
      expect(segmentsOf('v2/')).toBe(0)
    }
    const after = await read()
    expect([after.id, pathOf(after.video.playback_url)]).toEqual([id, pathOf(before.video.playback_url)])
    expect(await watchToEnd(engine, url)).toBeCloseTo((SEGMENTS - 2) * SEGMENT_SECONDS, 0)
    expect(segmentsOf('v2/')).toBeGreaterThan(0)
    expect((await caller.post<assets.Asset>(`assets/${id}/versions/1/activate/`)).body.version).toBe(1)
    expect(await watchToEnd(engine, url)).toBeCloseTo(SEGMENTS * SEGMENT_SECONDS, 0)
  },
)
