/** Uploads while the tables of the job queue cannot be used: nothing is lost, and nothing is processed twice. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Caller,
  fastWorkerSettings,
  formOf,
  openSession,
  postByFetch,
  resetDatabase,
  root,
  Superuser,
  stackEnv,
  TestApi,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { statusOf, timelineOf } from '../pipeline/pipeline-fixture.ts'

const env = withDatabase(stackEnv(), 'queue_unavailable')
await resetDatabase(env)
const testApi = await opened(TestApi.open({ DATABASE_STATEMENT_TIMEOUT_SECONDS: '2' }, env))
const superuser = await opened(Superuser.open(env))
const file = readFileSync(join(root, 'tools/faults/files/one-second.mp4'))

/** Makes the queue unusable. Returns a function that repairs it. */
const faults = {
  locked: async () => {
    await superuser.query('begin')
    await superuser.query('lock table dbos.workflow_status in access exclusive mode')
    return () => superuser.query('rollback')
  },
  revoked: async () => {
    await superuser.query('revoke all on dbos.workflow_status from reelkeep_api')
    return () => superuser.query('grant select, insert, update, delete on dbos.workflow_status to reelkeep_api')
  },
}

async function uploadTo(caller: Caller) {
  const { asset, upload_session: session, client_payload: form } = await openSession(caller, { resolutions: ['240p'] })
  expect((await postByFetch(formOf(form, file))).status).toBe(204)
  const complete = () => caller.post(`assets/upload-sessions/${session.uuid}/complete/`)
  return { assetId: asset.id, complete }
}

describe.each(Object.entries(faults))('while the job queue is %s', (_, breakQueue) => {
  it('sessions are created, completing them fails with 5xx and changes nothing, and succeeds afterwards', async () => {
    const caller = await testApi.newOrganization()
    const before = await uploadTo(caller)
    const repair = await breakQueue()
    const during = await uploadTo(caller)
    try {
      for (const { complete } of [before, during, before]) {
        expect((await complete()).status).toBeGreaterThanOrEqual(500)
      }
      for (const { assetId } of [before, during]) {
        expect(await statusOf(caller, assetId)).toBe('Not Started')
      }
    } finally {
      await repair()
    }
    for (const { complete } of [before, during, before]) expect((await complete()).status).toBe(200)
    await using _worker = await WorkerProcess.start({ settings: fastWorkerSettings, env })
    for (const { assetId } of [before, during]) {
      await expect.poll(() => statusOf(caller, assetId), { interval: 100 }).toBe('Completed')
      const entries = (await timelineOf(caller, assetId)).map(({ what }) => what)
      for (const once of ['uploaded', 'processing_started', 'completed']) {
        expect(entries.filter((what) => what === once).length, `${once} in ${entries}`).toBeLessThanOrEqual(1)
      }
    }
    const jobs = await superuser.query(
      `select name, count(*)::int from dbos.workflow_status where name = 'video-probe'
         and queue_partition_key = $1 or name = 'video-probe' and inputs like '%' || $1 || '%' group by name`,
      [caller.organizationId],
    )
    expect(jobs).toEqual([{ name: 'video-probe', count: 2 }])
  })
})
