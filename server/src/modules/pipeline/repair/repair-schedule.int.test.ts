/** Which damaged files are repaired when: from copies, or by a limited number of jobs. */
import { createHash } from 'node:crypto'
import {
  HttpProxy,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  storageOf,
  TestApi,
  uploadAsset,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import { recordCheck, recordPublished } from '../../published-files/published-files.ts'
import { startRepairs } from './repair-schedule.ts'

const env = withDatabase(stackEnv(), 'repairs')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
const owner = await opened(Promise.resolve(openOwner(env)))
const proxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const media = new MediaBucket(storageOf(env))
/** Another bucket, for copies. */
const copies = new MediaBucket({
  ...storageOf({ ...env, STORAGE_ENDPOINT: proxy.url }),
  mediaBucket: storageOf(env).uploadsBucket,
})
afterAll(() => {
  for (const bucket of [media, copies]) bucket[Symbol.dispose]()
})
const logger = pino({ level: 'silent' })

const text = 'a segment'
const md5 = createHash('md5').update(text).digest()

type Place = { readonly organizationId: OrganizationId; readonly assetId: AssetId }

async function newPlace(): Promise<Place> {
  const caller = await testApi.newOrganization()
  const { asset } = await uploadAsset(caller)
  return { organizationId: caller.organizationId as OrganizationId, assetId: asset.id as AssetId }
}

let place: Place
beforeEach(async () => {
  await superuser.query('delete from published_files')
  place = await newPlace()
})
afterEach(() => {
  proxy.rules = []
})

type NewDamage = { readonly of?: Place; readonly hasCopy?: boolean; readonly step?: string | null }

/** A published file that storage has lost; returns its key. */
async function damage(name: string, { of = place, hasCopy = false, step = 'video-encode' }: NewDamage = {}) {
  const db = owner.forOrganization(of.organizationId)
  const prefix = `${of.organizationId}/${of.assetId}/${name}/`
  const files = [{ name: '0.m4s', bytes: text.length, md5 }]
  await recordPublished(db, of.assetId, { prefix, step: step ?? 'video-encode', part: name, files })
  if (step === null) await superuser.query('update published_files set step = null where prefix = $1', [prefix])
  await recordCheck(db, { assetId: of.assetId, prefix, damaged: ['0.m4s'] })
  const key = `${prefix}0.m4s`
  if (hasCopy) await copies.put({ key, body: text, type: 'video/mp4' })
  return key
}

const run = (deps: { copies?: MediaBucket; secondsMax?: number } = {}) =>
  startRepairs(owner, { media, copies: deps.copies, signal: new AbortController().signal, logger, ...deps })

type Row = { key: string; damaged: boolean; job: boolean; failed: number }

const rows = () =>
  superuser.query<Row>(
    `select prefix || names[1] as key, damaged <> '{}' as damaged, repair_id is not null as job,
       repairs_failed as failed
     from published_files order by 1`,
  )
const jobs = async () => {
  const ids = [place.organizationId]
  const found = await superuser.query<{ organization: string }>(
    `select split_part(workflow_uuid, '/', 1) as organization from dbos.workflow_status where name = 'repair-files'`,
  )
  return found.map(({ organization }) => organization).filter((id) => ids.includes(id as OrganizationId)).length
}

describe('files without a copy', () => {
  it('are encoded again by a few jobs at a time, and organizations take turns', async () => {
    const other = await newPlace()
    for (let number = 0; number < 5; number++) await damage(`a-${number}`)
    const alone = await damage('b-1', { of: other })
    for (let round = 0; round < 3; round++) await run()
    const withJobs = (await rows()).filter(({ job }) => job).map(({ key }) => key)
    expect(withJobs).toHaveLength(2)
    expect(withJobs).toContain(alone)
    expect(await jobs()).toBe(1)
  })

  it('are repaired again later if nothing can repair them now', async () => {
    const key = await damage('a-1', { step: null })
    await run()
    await run()
    expect(await rows()).toEqual([{ key, damaged: true, job: false, failed: 1 }])
  })
})

describe('files with a copy', () => {
  it('are restored under their name, however many jobs exist', async () => {
    for (let number = 0; number < 3; number++) await damage(`a-${number}`)
    await run()
    const keys = [await damage('b-1', { hasCopy: true }), await damage('b-2', { hasCopy: true, step: null })]
    await run({ copies })
    for (const key of keys) expect(await media.findText(key)).toBe(text)
    const damaged = (await rows()).filter((row) => row.damaged).map(({ key }) => key)
    expect(damaged).toHaveLength(3)
    for (const key of keys) expect(damaged).not.toContain(key)
  })

  it('are restored although the copies of others are not sent in time', async () => {
    const other = await newPlace()
    const slow = await damage('a-1', { hasCopy: true })
    const failing = await damage('a-2', { hasCopy: true })
    const key = await damage('b-1', { hasCopy: true, of: other })
    const never = () => undefined
    proxy.rules = [
      { match: ({ path, method }) => method === 'GET' && path.includes(slow), action: never },
      { match: ({ path, method }) => method === 'GET' && path.includes(failing), action: never },
    ]
    await run({ copies, secondsMax: 1 })
    expect(await rows()).toEqual(
      [
        { key: slow, damaged: true, job: false, failed: 1 },
        { key: failing, damaged: true, job: false, failed: 1 },
        { key, damaged: false, job: false, failed: 0 },
      ].toSorted((one, two) => (one.key < two.key ? -1 : 1)),
    )
  })

  it('are not restored if the asset is deleted in the meantime', async () => {
    const key = await damage('a-1', { hasCopy: true })
    proxy.rules = [
      {
        match: ({ path, method }) => method === 'GET' && path.includes(key),
        action: async (exchange) => {
          await superuser.query('delete from assets where id = $1', [place.assetId])
          exchange.forward()
        },
      },
    ]
    await run({ copies })
    expect(await media.findText(key)).toBeUndefined()
  })
})

it('a file that storage has as it was stored counts as intact again', async () => {
  const key = await damage('a-1')
  await media.put({ key, body: text, type: 'video/mp4' })
  await run()
  expect(await rows()).toEqual([{ key, damaged: false, job: false, failed: 0 }])
})
