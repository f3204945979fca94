import type { events } from '@reelkeep/contract'
import { type Caller, openOwner, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { recordUrlsChanged } from '../../assets/assets.ts'
import {
  listPublished,
  recordCheck,
  recordPublished,
  recordRepairJob,
  replacePublished,
  startRepair,
} from '../../published-files/published-files.ts'
import { attemptPrefix, deleteLostOutputs } from '../outputs.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const { media } = testApi.context

let caller: Caller
let db: OrganizationDb
let assetId: AssetId
let prefix: string
const step = 'video-encode'
const prefixOf = (token: number) => attemptPrefix(db, assetId, { step, token, nonce: '0'.repeat(16) })

beforeEach(async () => {
  caller = await testApi.newOrganization()
  db = owner.forOrganization(caller.organizationId as OrganizationId)
  assetId = (await uploadAsset(caller)).asset.id as AssetId
  prefix = prefixOf(100)
  await recordPublished(db, assetId, { prefix, step, part: '', files: await store(prefix) })
  await recordCheck(db, { assetId, prefix, damaged: ['0.m4s'] })
})

/** Starts a repair that stores the files under the prefix. */
async function startUnder(repairPrefix: string): Promise<boolean> {
  const repairId = crypto.randomUUID()
  await recordRepairJob(db, { assetId, prefix, repairId, seconds: 60 })
  return startRepair(db, { assetId, prefix, repairId, repairPrefix })
}

/** Stores the only file of the step. */
async function store(under: string) {
  const stored = await media.put({ key: `${under}0.m4s`, body: 'segment', type: 'video/mp4' })
  return [{ name: '0.m4s', ...stored }]
}

const cleanUp = () => deleteLostOutputs(media, db, { assetId, signal: new AbortController().signal })

it('cleanup keeps the files of a repair that runs, and deletes those of an earlier one', async () => {
  for (const token of [101, 102]) {
    await startUnder(prefixOf(token))
    await store(prefixOf(token))
  }
  await cleanUp()
  expect(await media.findText(`${prefixOf(101)}0.m4s`)).toBeUndefined()
  expect(await media.findText(`${prefixOf(102)}0.m4s`)).toBe('segment')
  expect(await media.findText(`${prefix}0.m4s`)).toBe('segment')
})

it('a repair publishes nothing after another one was started', async () => {
  const [earlier, later] = [prefixOf(101), prefixOf(102)]
  for (const repairPrefix of [earlier, later]) await startUnder(repairPrefix)
  const publish = async (under: string) =>
    replacePublished(db, assetId, { replaced: prefix, prefix: under, step, part: '', files: await store(under) })
  expect(await publish(earlier)).toBeUndefined()
  expect(await publish(later)).toEqual([])
  expect(await publish(later)).toBeUndefined()
  expect((await listPublished(db, assetId)).map((row) => [row.prefix, row.replacedBy])).toEqual([
    [prefix, later],
    [later, null],
  ])
})

it('a repair publishes nothing after a check found the files intact', async () => {
  const repairPrefix = prefixOf(101)
  await startUnder(repairPrefix)
  await recordCheck(db, { assetId, prefix, damaged: [] })
  const files = await store(repairPrefix)
  const isReplaced = await replacePublished(db, assetId, {
    replaced: prefix,
    prefix: repairPrefix,
    step,
    part: '',
    files,
  })
  expect(isReplaced).toBeUndefined()
})

it('a job that was replaced by another one does not start', async () => {
  const repairId = crypto.randomUUID()
  await recordRepairJob(db, { assetId, prefix, repairId, seconds: 60 })
  await recordRepairJob(db, { assetId, prefix, repairId: crypto.randomUUID(), seconds: 60 })
  expect(await startRepair(db, { assetId, prefix, repairId, repairPrefix: prefixOf(101) })).toBe(false)
})

it('cleanup keeps replaced files for a day', async () => {
  const repairPrefix = prefixOf(101)
  await startUnder(repairPrefix)
  const files = await store(repairPrefix)
  await replacePublished(db, assetId, { replaced: prefix, prefix: repairPrefix, step, part: '', files })
  await cleanUp()
  expect(await media.findText(`${prefix}0.m4s`)).toBe('segment')
  await db.run(
    statement(
      ({ organizationId }) => sql`
        update published_files set replaced_at = replaced_at - interval '25 hours'
        where organization_id = ${organizationId}`,
    )({}),
  )
  await cleanUp()
  expect(await media.findText(`${prefix}0.m4s`)).toBeUndefined()
  expect(await media.findText(`${repairPrefix}0.m4s`)).toBe('segment')
})

it('a repair of images is announced with an event, because their URLs change', async () => {
  const coverKey = `${prefix}0.m4s`
  await db.run(
    statement(
      ({ organizationId }) =>
        sql`update assets set cover_key = ${coverKey} where organization_id = ${organizationId} and id = ${assetId}`,
    )({}),
  )
  const repairPrefix = prefixOf(101)
  await startUnder(repairPrefix)
  const files = await store(repairPrefix)
  await db.transaction(async (tx) => {
    const changed = await replacePublished(tx, assetId, {
      replaced: prefix,
      prefix: repairPrefix,
      step,
      part: '',
      files,
    })
    await recordUrlsChanged(tx, changed ?? [])
  })
  const { body } = await caller.get<{ results: events.Event[] }>('events/?types=asset.updated')
  expect(body.results.map(({ data }) => data)).toMatchObject([{ id: assetId }])
})
