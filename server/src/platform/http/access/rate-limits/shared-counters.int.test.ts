import { openDatabase, Superuser, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { addPoints } from './shared-counters.store.ts'

const database = await opened(Promise.resolve(openDatabase(stackEnv().DATABASE_URL)))
const superuser = await opened(Superuser.open())

it('a counter starts again if its window ends later than a new one would, because the clock was set back', async () => {
  const key = crypto.randomUUID()
  const add = () => addPoints(database, { key, points: 1, windowSeconds: 60 })
  expect(await add()).toMatchObject({ total: 1 })
  expect(await add()).toMatchObject({ total: 2 })
  await superuser.query(`update shared_counters.rate_limits set ends_at = ends_at + interval '1 hour' where key = $1`, [
    key,
  ])
  const counted = await add()
  expect(counted.total).toBe(1)
  expect(counted.secondsLeft).toBeLessThanOrEqual(60)
  expect(await add()).toMatchObject({ total: 2 })
})
