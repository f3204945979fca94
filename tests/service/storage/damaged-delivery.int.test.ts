/** Delivery of files that storage has damaged, to viewers and through the edge that operators use. */
import { createHash } from 'node:crypto'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import {
  recordCheck,
  recordPublished,
  recordRepairFailure,
  recordRepairJob,
  removePublished,
  replacePublished,
  startRepair,
} from '@reelkeep/server/modules/published-files/published-files.ts'
import type { OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import {
  ApiProcess,
  assetToken,
  Caller,
  newOrganization,
  Objects,
  openOwner,
  openSession,
  Publisher,
  Superuser,
  shortPlan,
  stackEnv,
  startEdge,
  TestApi,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const api = await opened(ApiProcess.start({ TRUSTED_PROXY_HOPS: '1' }))
const edge = await opened(startEdge(api.baseUrl))
const publisher = await opened(Publisher.open())
const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))
const objects = new Objects(stackEnv(), 'reelkeep-media')

afterAll(() => objects[Symbol.dispose]())

const attempt = 'video-encode-1'
const names = ['240p/init.mp4', '240p/00000.m4s', '240p/00001.m4s'] as const
const small = 'moving pictures'
/** More than one chunk of a response. */
const large = 'many moving pictures '.repeat(50_000)
const bodies = ['init', small, large]

let video: VideoRef
let db: OrganizationDb
let prefix: string
beforeEach(async () => {
  const { organizationId, token } = await newOrganization(owner)
  const caller = new Caller(api.send, organizationId, token)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  video = { organizationId, assetId: asset.id }
  db = owner.forOrganization(organizationId as OrganizationId)
  prefix = `${organizationId}/${asset.id}/${attempt}/`
  await publisher.plan(video, shortPlan(2))
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt, init: 'init' },
    segments: [
      { body: small, seconds: 4 },
      { body: large, seconds: 4 },
    ],
  })
  const files = names.map((name, index) => ({ name, ...resultOf(bodies[index] ?? '') }))
  await recordPublished(db, asset.id as AssetId, { prefix, step: 'video-encode', part: '', files })
})

const resultOf = (body: string) => ({ bytes: body.length, md5: createHash('md5').update(body).digest() })

const damaged = (body: string) => `${body.slice(0, -1).replaceAll('moving', 'molded')}#`

/** Requests a file; `text` is undefined if the response is incomplete. */
async function play(base: string, name: string, headers = {}) {
  const token = assetToken(testApi.context.tokenIssuer, video)
  const response = await fetch(`${base}/play/${token}/${video.organizationId}/${video.assetId}/${attempt}/${name}`, {
    headers,
  })
  const text = await response.text().catch(() => undefined)
  return { status: response.status, text, caching: response.headers.get('cache-control') }
}

const isDueNow = async () => {
  const [row] = await superuser.query<{ due: boolean }>(
    `select checked_at = '-infinity' as due from published_files where prefix = $1`,
    [prefix],
  )
  return row?.due
}

describe.each([
  ['the API', () => api.baseUrl],
  ['the edge', () => edge.baseUrl],
])('%s', (_, base) => {
  it('sends an intact file', async () => {
    expect(await play(base(), names[1])).toMatchObject({ status: 200, text: small })
    expect(await play(base(), names[2])).toMatchObject({ status: 200, text: large })
    expect(await isDueNow()).toBe(false)
  })

  it('refuses a small file with other bytes, does not cache it, and the next scrub checks it', async () => {
    await objects.put(`${prefix}${names[1]}`, damaged(small))
    expect(await play(base(), names[1])).toMatchObject({ status: 503, caching: 'no-store' })
    await expect.poll(isDueNow).toBe(true)
    await objects.put(`${prefix}${names[1]}`, small)
    expect(await play(base(), names[1])).toMatchObject({ status: 200, text: small })
  })

  it('does not complete a large file with other bytes, and does not cache it', async () => {
    await objects.put(`${prefix}${names[2]}`, damaged(large))
    expect((await play(base(), names[2])).text).toBeUndefined()
    await objects.put(`${prefix}${names[2]}`, large)
    expect(await play(base(), names[2])).toMatchObject({ status: 200, text: large })
  })

  it.each([
    ['another length', () => objects.put(`${prefix}${names[1]}`, 'short')],
    ['been lost', () => objects.delete({ key: `${prefix}${names[1]}`, version: 'null' })],
  ])('answers 503 for a file that has %s, so that players repeat the request', async (_, damage) => {
    await damage()
    expect(await play(base(), names[1])).toMatchObject({ status: 503 })
    await expect.poll(isDueNow).toBe(true)
  })

  it('refuses a file that a scrub has found damaged, whatever storage returns now', async () => {
    await recordCheck(db, { assetId: video.assetId as AssetId, prefix, damaged: [names[1]] })
    expect(await play(base(), names[1])).toMatchObject({ status: 503, caching: 'no-store' })
  })
})

it('a range, which cannot be verified, is not kept by caches', async () => {
  const found = await play(api.baseUrl, names[1], { range: 'bytes=0-5' })
  expect(found).toEqual({ status: 206, text: 'moving', caching: 'private, no-cache' })
  const ofEdge = await play(edge.baseUrl, names[1], { range: 'bytes=0-5' })
  expect(ofEdge).toMatchObject({ status: 206, text: 'moving' })
  expect(ofEdge.caching).toContain('immutable')
})

/** Damages a segment, and starts a repair that stores the files under the prefix that is returned. */
async function startRepairOfDamage() {
  const assetId = video.assetId as AssetId
  const repairPrefix = prefix.replace(attempt, 'video-encode-2-0123456789abcdef')
  await objects.put(`${prefix}${names[1]}`, damaged(small))
  await recordCheck(db, { assetId, prefix, damaged: [names[1]] })
  const repairId = crypto.randomUUID()
  await recordRepairJob(db, { assetId, prefix, repairId, seconds: 60 })
  await startRepair(db, { assetId, prefix, repairId, repairPrefix })
  return { assetId, repairPrefix, repairId }
}

it('while a segment is encoded again, and if that fails, all others are listed and sent', async () => {
  const token = assetToken(testApi.context.tokenIssuer, video)
  const playlist = async () => {
    const path = `/play/${token}/${video.organizationId}/${video.assetId}/240p.m3u8`
    const response = await fetch(api.baseUrl + path)
    return { status: response.status, text: await response.text() }
  }
  const before = await playlist()
  expect(before.status).toBe(200)
  const { assetId, repairId } = await startRepairOfDamage()
  const expectPlayable = async () => {
    expect(await playlist()).toEqual(before)
    expect(await play(api.baseUrl, names[0])).toMatchObject({ status: 200, text: 'init' })
    expect(await play(api.baseUrl, names[1])).toMatchObject({ status: 503 })
    expect(await play(api.baseUrl, names[2])).toMatchObject({ status: 200, text: large })
  }
  await expectPlayable()
  await recordRepairFailure(db, { assetId, prefix, repairId })
  await expectPlayable()
})

describe('after a repair stored the files under another prefix', () => {
  const repairedText = 'moving pictures, encoded again'
  beforeEach(async () => {
    const { assetId, repairPrefix } = await startRepairOfDamage()
    const texts = ['init', repairedText, large]
    for (const [index, name] of names.entries()) await objects.put(`${repairPrefix}${name}`, texts[index] ?? '')
    const files = names.map((name, index) => ({ name, ...resultOf(texts[index] ?? '') }))
    await replacePublished(db, assetId, {
      replaced: prefix,
      prefix: repairPrefix,
      step: 'video-encode',
      part: '',
      files,
    })
  })

  it('viewers with an older playlist get its intact files, and the repaired one', async () => {
    expect(await play(edge.baseUrl, names[0])).toMatchObject({ status: 200, text: 'init' })
    expect(await play(edge.baseUrl, names[1])).toMatchObject({ status: 200, text: repairedText })
    expect(await play(edge.baseUrl, names[2])).toMatchObject({ status: 200, text: large })
  })

  it('a file that is removed afterwards has no older URL either', async () => {
    const key = `${prefix.replace(attempt, 'video-encode-2-0123456789abcdef')}${names[2]}`
    await removePublished(db, video.assetId as AssetId, key)
    expect((await play(api.baseUrl, names[2])).status).toBe(404)
  })
})
