import { type Caller, openOwner, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import {
  listPublished,
  recordCheck,
  recordPublished,
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

/** Stores the only file of the step. */
async function store(under: string) {
  const stored = await media.put({ key: `${under}0.m4s`, body: 'segment', type: 'video/mp4' })
  return [{ name: '0.m4s', ...stored }]
}

const cleanUp = () => deleteLostOutputs(media, db, { assetId, signal: new AbortController().signal })

it('cleanup keeps the files of a repair that runs, and deletes those of an earlier one', async () => {
  for (const token of [101, 102]) {
    await startRepair(db, { assetId, prefix, repairPrefix: prefixOf(token) })
    await store(prefixOf(token))
  }
  await cleanUp()
  expect(await media.findText(`${prefixOf(101)}0.m4s`)).toBeUndefined()
  expect(await media.findText(`${prefixOf(102)}0.m4s`)).toBe('segment')
  expect(await media.findText(`${prefix}0.m4s`)).toBe('segment')
})

it('a repair publishes nothing after another one was started', async () => {
  const [earlier, later] = [prefixOf(101), prefixOf(102)]
  for (const repairPrefix of [earlier, later]) await startRepair(db, { assetId, prefix, repairPrefix })
  const publish = async (under: string) =>
    replacePublished(db, assetId, { replaced: prefix, prefix: under, step, part: '', files: await store(under) })
  expect(await publish(earlier)).toBe(false)
  expect(await publish(later)).toBe(true)
  expect(await publish(later)).toBe(false)
  expect((await listPublished(db, assetId)).map((row) => [row.prefix, row.damaged])).toEqual([[later, []]])
})

it('a repair publishes nothing after a check found the files intact', async () => {
  const repairPrefix = prefixOf(101)
  await startRepair(db, { assetId, prefix, repairPrefix })
  await recordCheck(db, { assetId, prefix, damaged: [] })
  const files = await store(repairPrefix)
  const isReplaced = await replacePublished(db, assetId, {
    replaced: prefix,
    prefix: repairPrefix,
    step,
    part: '',
    files,
  })
  expect(isReplaced).toBe(false)
})
