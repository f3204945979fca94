/** Concurrent cleanups of expired rows do not block each other. */
import { openSession, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { Database, type OrganizationDb } from '../../platform/db/database.ts'
import type { Asset } from '../assets/assets.ts'
import { insertSpent, lockAndCountLive } from './playback-tokens.store.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const limits = { connectionsMax: 8, statementTimeoutSeconds: 20 }
const { DATABASE_URL: url } = stackEnv()
const database = await opened(Promise.resolve(new Database({ url, ...limits }, () => {})))

let organizationId: OrganizationId
let db: OrganizationDb
let assets: [Asset, Asset]
beforeEach(async () => {
  const caller = await testApi.newOrganization()
  const newAsset = async () => (await openSession(caller)).asset as unknown as Asset
  assets = [await newAsset(), await newAsset()]
  organizationId = caller.organizationId as OrganizationId
  db = database.forOrganization(organizationId)
})

/** Runs the whole second transaction during the first one. */
const interleaved = (
  first: (tx: OrganizationDb) => Promise<unknown>,
  second: (tx: OrganizationDb) => Promise<unknown>,
) =>
  db.transaction(async (tx) => {
    await first(tx)
    return db.transaction(second)
  })

const countOf = async (table: string) =>
  (await superuser.query(`select from ${table} where organization_id = $1`, [organizationId])).length

it('token creations for two videos do not block each other while both remove expired tokens', async () => {
  const [one, other] = assets
  await superuser.query(
    `insert into access_tokens (organization_id, asset_id, id, is_single_use, referrers, networks, expires_at)
     select $1, $2, gen_random_uuid(), false, '{}', '{}', now() - interval '8 days' from generate_series(1, 150)`,
    [organizationId, one.id],
  )
  const create = (asset: Asset) => (tx: OrganizationDb) => lockAndCountLive(tx, asset)
  expect(await interleaved(create(one), create(other))).toBe(0)
  expect(await countOf('access_tokens')).toBe(0)
})

it('uses of two single-use tokens do not block each other while both remove expired rows', async () => {
  await superuser.query(
    `insert into spent_passes (organization_id, jti, expires_at)
     select $1, 'old ' || number, now() - interval '8 days' from generate_series(1, 150) as number`,
    [organizationId],
  )
  const expSeconds = Date.now() / 1000 + 60
  const spend = (jti: string) => (tx: OrganizationDb) => insertSpent(tx, { jti, expSeconds })
  expect(await interleaved(spend('one'), spend('other'))).toBe(true)
  expect(await countOf('spent_passes')).toBe(2)
})
