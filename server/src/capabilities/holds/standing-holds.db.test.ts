import {
  newOrganization,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { Database } from '../../platform/db/database.ts'
import { holdOrganization, markGone, markLedHere, releaseOrganization } from './holds.ts'
import { standingHolds } from './standing-holds.store.ts'

const env = withDatabase(stackEnv(), 'standing_holds')
await resetDatabase(env)
const owner = await opened(Promise.resolve(openOwner(env)))
const superuser = await opened(Superuser.open(env))
/** As the worker connects: it sees the holds of all, and none of their names. */
const worker = await opened(
  Promise.resolve(
    new Database(
      { url: env.DATABASE_WORKER_URL, connectionsMax: 2, statementTimeoutSeconds: 10 },
      () => {},
    ),
  ),
)
const age = (id: string, seconds: number) =>
  superuser.query(
    `update held_organizations set since = now() - make_interval(secs => $2) where organization_id = $1`,
    [id, seconds],
  )

it('holds are counted, those that are gone apart, and the longest is told', async () => {
  expect(await standingHolds(worker)).toEqual({ held: 0, heldSeconds: 0, gone: 0 })
  const [one, other, gone] = await Promise.all(
    [1, 2, 3].map(async () => (await newOrganization(owner)).organizationId),
  )
  if (!one || !other || !gone) throw new Error('there are three of them')
  for (const id of [one, other, gone]) await holdOrganization(owner, id)
  await markGone(owner, gone)
  await age(one, 90)
  await age(gone, 86_400)
  expect(await standingHolds(worker)).toMatchObject({ held: 2, gone: 1 })
  expect((await standingHolds(worker)).heldSeconds).toBeCloseTo(90, -2)
  expect((await standingHolds(worker)).heldSeconds).toBeGreaterThanOrEqual(90)
  await releaseOrganization(owner, one)
  expect((await standingHolds(worker)).heldSeconds).toBeLessThan(80)
})

it('one that is on its way to here wakes nobody until callers are led here, and is then held since then', async () => {
  await superuser.query('delete from held_organizations')
  const { organizationId: id } = await newOrganization(owner)
  await holdOrganization(owner, id, 'arriving')
  await age(id, 86_400)
  expect(await standingHolds(worker)).toEqual({ held: 0, heldSeconds: 0, gone: 1 })
  await markLedHere(owner, id)
  const { heldSeconds, ...counts } = await standingHolds(worker)
  expect(counts).toEqual({ held: 1, gone: 0 })
  expect(heldSeconds).toBeLessThan(60)
  // Whoever ends the move says it again, and it has lasted for as long as it has.
  await superuser.query(`update held_organizations set led_here_since = now() - interval '90 s'`)
  await markLedHere(owner, id)
  expect((await standingHolds(worker)).heldSeconds).toBeGreaterThanOrEqual(90)
})

it('callers are led to nobody who is not about to arrive', async () => {
  await superuser.query('delete from held_organizations')
  const { organizationId: id } = await newOrganization(owner)
  await holdOrganization(owner, id, 'leaving')
  await age(id, 90)
  await markLedHere(owner, id)
  expect((await standingHolds(worker)).heldSeconds).toBeGreaterThanOrEqual(90)
})
