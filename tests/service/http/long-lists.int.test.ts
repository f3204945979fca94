/** Tests that lists that may count many rows do not delay other queries. */

import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { listAccessTokens } from '@reelkeep/server/modules/playback-tokens/playback-tokens.ts'
import { listTokens } from '@reelkeep/server/modules/tokens/tokens.ts'
import { Database, type OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { openSession, resetDatabase, Superuser, stackEnv, TestApi, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'long_lists')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
/** With these limits there are two multiplexed connections, and two connections for each organization. */
const limits = { connectionsMax: 8, statementTimeoutSeconds: 20 }
const database = await opened(Promise.resolve(new Database({ url: env.DATABASE_URL, ...limits }, () => {})))

const caller = await testApi.newOrganization()
const assetId = (await openSession(caller)).asset.id as AssetId
const db = database.forOrganization(caller.organizationId as OrganizationId)
const page = { limit: 1, position: undefined }
const short = { name: 'short', text: 'select 1 as one', values: () => [] }

it.each([
  ['access_tokens', (db: OrganizationDb) => listAccessTokens(db, assetId, page)],
  ['tokens', (db: OrganizationDb) => listTokens(db, page)],
])('a slow list of %s delays no other query', async (table, list) => {
  // The lock simulates a long count.
  await superuser.query('begin')
  await superuser.query(`lock table ${table} in access exclusive mode`)
  let ended = 0
  const lists = [1, 2, 3, 4].map(() => list(db).finally(() => ended++))
  const outcome = Promise.allSettled(lists)
  const waiting = `select from pg_locks where relation = '${table}'::regclass and not granted`
  await expect.poll(() => superuser.query(waiting)).toHaveLength(2)
  expect(await database.runUnscoped(short)).toEqual([{ one: 1 }])
  expect(ended).toBe(0)
  await superuser.query('rollback')
  expect((await outcome).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'))
})
