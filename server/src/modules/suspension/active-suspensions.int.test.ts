import { newOrganization, openOwner, resetDatabase, Superuser, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { Database } from '../../platform/db/database.ts'
import { activeSuspensions } from './active-suspensions.store.ts'
import { markMigratedAway, markRoutedHere, resumeOrganization, suspendOrganization } from './suspension.ts'

const env = withDatabase(stackEnv(), 'standing_holds')
await resetDatabase(env)
const owner = await opened(Promise.resolve(openOwner(env)))
const superuser = await opened(Superuser.open(env))
/** The worker role sees the suspensions of all organizations, but not their ids. */
const worker = await opened(
  Promise.resolve(
    new Database({ url: env.DATABASE_WORKER_URL, connectionsMax: 2, statementTimeoutSeconds: 10 }, () => {}),
  ),
)
const age = (id: string, seconds: number) =>
  superuser.query(
    `update held_organizations set since = now() - make_interval(secs => $2) where organization_id = $1`,
    [id, seconds],
  )

it('activeSuspensions counts suspended and migrated organizations and measures the longest suspension', async () => {
  expect(await activeSuspensions(worker)).toEqual({
    suspended: 0,
    suspendedSeconds: 0,
    migrated: 0,
  })
  const [first, second, migrated] = await Promise.all(
    [1, 2, 3].map(async () => (await newOrganization(owner)).organizationId),
  )
  if (!first || !second || !migrated) throw new Error('expected three organizations')
  for (const id of [first, second, migrated]) await suspendOrganization(owner, id)
  await markMigratedAway(owner, migrated)
  await age(first, 7200)
  await age(migrated, 86_400)
  expect(await activeSuspensions(worker)).toMatchObject({ suspended: 2, migrated: 1 })
  const { suspendedSeconds } = await activeSuspensions(worker)
  expect(suspendedSeconds).toBeGreaterThanOrEqual(7200)
  expect(suspendedSeconds).toBeLessThan(10_800)
  await resumeOrganization(owner, first)
  expect((await activeSuspensions(worker)).suspendedSeconds).toBeLessThan(3600)
})

it('an arriving organization counts as suspended from the time its requests are routed here', async () => {
  await superuser.query('delete from held_organizations')
  const { organizationId: id } = await newOrganization(owner)
  await suspendOrganization(owner, id, 'arriving')
  await age(id, 86_400)
  expect(await activeSuspensions(worker)).toEqual({
    suspended: 0,
    suspendedSeconds: 0,
    migrated: 1,
  })
  await markRoutedHere(owner, id)
  const { suspendedSeconds, ...counts } = await activeSuspensions(worker)
  expect(counts).toEqual({ suspended: 1, migrated: 0 })
  expect(suspendedSeconds).toBeLessThan(3600)
  // Marking the organization again does not reset the time of its suspension.
  await superuser.query(`update held_organizations set led_here_since = now() - interval '90 s'`)
  await markRoutedHere(owner, id)
  expect((await activeSuspensions(worker)).suspendedSeconds).toBeGreaterThanOrEqual(90)
})

it('markRoutedHere has no effect unless the organization is arriving', async () => {
  await superuser.query('delete from held_organizations')
  const { organizationId: id } = await newOrganization(owner)
  await suspendOrganization(owner, id, 'leaving')
  await age(id, 90)
  await markRoutedHere(owner, id)
  expect((await activeSuspensions(worker)).suspendedSeconds).toBeGreaterThanOrEqual(90)
})
