/** Tests that the worker deletes old stored responses, also of organizations that no longer use idempotency keys. */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { Database } from '@reelkeep/server/platform/db/database.ts'
import { WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { openFixture } from '../jobs/job-fixture.ts'

const fixture = await opened(openFixture('old_answers'))
const { superuser, env } = fixture

const save = (organizationId: string, count: number, age: string) =>
  superuser.query(
    `insert into idempotency_keys (organization_id, key, request_hash, answer, created_at)
     select $1, $3 || ' ' || number, sha256(''), '', now() - $3::interval
     from generate_series(1, $2) as number`,
    [organizationId, count, age],
  )

const saved = async () => {
  const rows = await superuser.query<{ organization_id: string; count: number }>(
    'select organization_id, count(*)::integer as count from idempotency_keys group by 1',
  )
  return Object.fromEntries(rows.map((row) => [row.organization_id, row.count]))
}

describe('old stored responses', () => {
  it('are deleted in every organization, and younger ones stay', async () => {
    const [quiet, busy, young] = await Promise.all([
      fixture.newOrganizationId(),
      fixture.newOrganizationId(),
      fixture.newOrganizationId(),
    ])
    await save(quiet, 2500, '25 hours')
    await save(busy, 10, '24 hours 1 second')
    await save(busy, 7, '1 minute')
    await save(young, 3, '23 hours 50 minutes')
    await using worker = await WorkerProcess.start({ env })
    await expect.poll(saved, { interval: 100 }).toEqual({ [busy]: 7, [young]: 3 })
    const metrics = async () => (await fetch(`${worker.operationsUrl}/metrics`)).text()
    await expect.poll(metrics).toContain('{schedule="delete-old-responses",outcome="done"} 1')
  })
})

describe('the view of organizations with old stored responses', () => {
  const select = async (url: string, text: string) => {
    await using database = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
    return await database.runUnscoped({ name: '', text, values: () => [] })
  }

  it('can be read by the worker, which cannot read the responses themselves, and not by the API', async () => {
    const organizationId: OrganizationId = await fixture.newOrganizationId()
    await save(organizationId, 1, '25 hours')
    const view = 'select * from organizations_with_old_answers'
    const keys = 'select * from idempotency_keys'
    expect(await select(env.DATABASE_WORKER_URL, view)).toContainEqual({
      organization_id: organizationId,
    })
    expect(await select(env.DATABASE_WORKER_URL, keys)).toEqual([])
    await expect(select(env.DATABASE_URL, view)).rejects.toMatchObject({ code: '42501' })
  })
})
