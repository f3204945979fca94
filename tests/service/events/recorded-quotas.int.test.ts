/** Events about quotas. */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { checkQuotaLevels, setQuotas } from '@reelkeep/server/modules/quotas/quotas.ts'
import {
  type Caller,
  openDatabase,
  openOwner,
  openSession,
  Superuser,
  stackEnv,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const worker = await opened(Promise.resolve(openDatabase(stackEnv().DATABASE_WORKER_URL)))
const recorder = newEventRecorder()

let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('quota')).toEqual([]))

const limit = async (limits: Parameters<typeof setQuotas>[1]) => {
  await setQuotas(owner.forOrganization(caller.organizationId as OrganizationId), limits)
  testApi.context.tokenCache.invalidate(caller.organizationId as OrganizationId)
}
const check = () => checkQuotaLevels(worker, new AbortController().signal)
const next = async () => (await eventLog.next()).filter(({ type }) => type.startsWith('quota.'))

it('80 % and 100 % of a quota are recorded once, and again only after the use has fallen below', async () => {
  await limit({ assets: 5 })
  const sessions = [await openSession(caller), await openSession(caller), await openSession(caller)]
  expect(await next()).toEqual([])
  sessions.push(await openSession(caller))
  const [warning] = await next()
  expect(warning).toMatchObject({ type: 'quota.warning', data: { name: 'assets', limit: 5, used: 4 } })
  await check()
  expect(await next()).toEqual([])
  sessions.push(await openSession(caller))
  expect(await next()).toMatchObject([{ type: 'quota.exhausted', data: { name: 'assets', limit: 5, used: 5 } }])
  for (const { asset } of sessions.slice(2)) await caller.delete(`assets/${asset.id}/?permanently=true`)
  await Promise.all([check(), check()])
  for (let count = 0; count < 3; count++) await openSession(caller)
  expect((await next()).map(({ type }) => type)).toEqual(['quota.warning', 'quota.exhausted'])
})

it('concurrent uploads record each level once', async () => {
  await limit({ assets: 10 })
  await Promise.all(Array.from({ length: 10 }, () => openSession(caller)))
  expect((await next()).map(({ type }) => type)).toEqual(['quota.warning', 'quota.exhausted'])
})

it('a schedule records what uploads have stored; bytes that open sessions reserve do not count', async () => {
  await limit({ storedBytes: 40 })
  await openSession(caller)
  expect(await next()).toEqual([])
  await caller.delete(`assets/upload-sessions/${await openSessionUuid()}/`)
  await uploadAsset(caller, { file_size_bytes: 32 })
  await check()
  expect(await next()).toMatchObject([{ type: 'quota.warning', data: { name: 'stored_bytes', limit: 40, used: 32 } }])
})

it('a check of unchanged levels does not write to the organization', async () => {
  await limit({ assets: 1, storedBytes: 40 })
  await uploadAsset(caller, { file_size_bytes: 32 })
  await using superuser = await Superuser.open()
  const rowVersion = () => superuser.query('select xmin from organizations where id = $1', [caller.organizationId])
  await check()
  const before = await rowVersion()
  await check()
  expect(await rowVersion()).toEqual(before)
})

async function openSessionUuid(): Promise<string> {
  const { body } = await caller.get<{ results: { uuid: string }[] }>('assets/upload-sessions/?status=Created')
  return body.results[0]?.uuid ?? ''
}
