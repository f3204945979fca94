/** One organization's wait is not another's: what one of them blocks, the others do not notice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, Superuser, World } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const world = await opened(World.open())
const superuser = await opened(Superuser.open())

const create = (caller: Caller) => caller.post<{ uuid: string }>('assets/folders/', { title: 'x' })

/** All at once, by somebody who has not called before: nothing is answered from memory. */
async function slowestOf(calls: (() => Promise<{ status: number }>)[]): Promise<number> {
  const times = await Promise.all(
    calls.map(async (call) => {
      const start = performance.now()
      expect((await call()).status).toBeLessThan(300)
      return performance.now() - start
    }),
  )
  return Math.max(...times)
}

it('an organization that waits for its own deletion holds nobody else up', async () => {
  const [busy, free] = [await world.newOrganization(), await world.newOrganization()]
  const { uuid } = (await create(busy)).body
  await superuser.query('begin')
  // The deletion has to wait for this row, and whoever changes the same tree waits for the deletion.
  await superuser.query('select from folders where organization_id = $1 and uuid = $2 for update', [
    busy.organizationId,
    uuid,
  ])
  const deletion = busy.delete(`assets/folders/${uuid}/`)
  await sleep(100)
  const waiting = Array.from({ length: 30 }, () => create(busy))
  try {
    await sleep(200)
    const slowest = await slowestOf([
      () => free.get('tokens/current/'),
      () => free.get('assets/folders/'),
      () => create(free),
      () => free.get('assets/folders/?q=x'),
    ])
    // Those who wait are given up after ten seconds; whoever stood behind them would wait as long.
    expect(slowest).toBeLessThan(5000)
  } finally {
    await superuser.query('rollback')
  }
  expect((await deletion).status).toBe(204)
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(201)
})
