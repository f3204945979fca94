/** Feeds the checks of `pnpm faults mix` with violations. `verifyLoad` and `LoadReceiver` have tests of their own. */
import { createHash, randomUUID } from 'node:crypto'
import { Caller, newCaller, resetDatabase, Superuser, stackEnv, TestApi, withDatabase } from '@reelkeep/testkit'
import { Objects } from '@reelkeep/testkit/objects'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DrillReport } from '../../../tools/drills/support/drill-report.ts'
import { sequenceViolations } from '../../../tools/faults/events/event-invariants.ts'
import { readLog } from '../../../tools/faults/events/event-log.ts'
import { checkCounters, checkLists } from '../../../tools/faults/mix/checks/counter-checks.ts'
import {
  addCheck,
  checkChurn,
  checkRefused,
  checkSecrets,
  unexpectedErrors,
} from '../../../tools/faults/mix/checks/mix-invariants.ts'
import { checkFinished, checkTimelines, rowsOf } from '../../../tools/faults/mix/checks/row-checks.ts'
import { checkNothingLeft, checkPublished, checkSources } from '../../../tools/faults/mix/checks/storage-checks.ts'

const env = withDatabase(stackEnv(), 'mix_checks')
const id = '00000000-0000-7000-8000-000000000001'
let superuser: Superuser
const media = new Objects(env, 'reelkeep-media')
afterAll(() => media[Symbol.dispose]())
let caller: Caller
let organizationId: string

beforeAll(async () => {
  await resetDatabase(env)
  superuser = await opened(Superuser.open(env))
  const api = await opened(TestApi.open({}, env))
  caller = await newCaller(api.send, env)
  organizationId = caller.organizationId
  await caller.post('assets/folders/', { title: 'Folder', parent: null })
  await caller.post('assets/upload-sessions/', { title: 'Video', resolutions: ['240p'] })
  // Reading the log numbers the events.
  await readLog(caller)
})

// The violations are written in a transaction that is rolled back, without the triggers that would refuse them.
beforeEach(async () => {
  await superuser.query('begin')
  await superuser.query('set local session_replication_role = replica')
})
afterEach(async () => {
  await superuser.query('rollback')
})

const run = (text: string, values: readonly unknown[] = []) => superuser.query(text, [organizationId, ...values])
const violationsOf = async (result: { violations: readonly string[] } | Promise<{ violations: readonly string[] }>) =>
  (await result).violations

/** Inserts an asset with a file, and its timeline. */
async function insertAsset(status: string, timeline: readonly (readonly [number, string])[]): Promise<void> {
  await run(
    `insert into assets (organization_id, id, title, search_title, grams, content_protection_type, generate_subtitle,
       resolutions, status, bytes, source_key)
     values ($1, $2, 'Asset', 'asset', '{}', 'disable', false, '{240p}', $3, 5, 'source')`,
    [id, status],
  )
  for (const [number, what] of timeline) {
    await run(
      `insert into asset_happenings (organization_id, asset_id, number, what, detail) values ($1, $2, $3, $4, '')`,
      [id, number, what],
    )
  }
}

const completed = [
  [1, 'uploaded'],
  [2, 'processing_started'],
  [3, 'completed'],
] as const

describe('I4: checkFinished', () => {
  const check = () => violationsOf(checkFinished(superuser, 0))

  it('passes without unfinished work', async () => {
    expect(await check()).toEqual([])
  })

  it.each([
    [
      'step',
      `insert into pipeline_steps (organization_id, asset_id, step, state, queue, due_at)
       values ($1, '${id}', 'encode', 'waiting', 'encode', now())`,
    ],
    ['job', `insert into dbos.workflow_status (workflow_uuid, name, status) values ($1, 'stuck', 'ENQUEUED')`],
    ['job failed', `insert into dbos.workflow_status (workflow_uuid, name, status) values ($1, 'failed', 'ERROR')`],
    [
      'event',
      `insert into event_outbox (organization_id, type, subject, data) values ($1, 'folder.created', 'folder', '{}')`,
    ],
    [
      'session',
      `update upload_sessions set expires_at = created_at, closes_at = created_at where organization_id = $1`,
    ],
  ])('reports a %s that is unfinished', async (what, statement) => {
    await run(statement)
    expect(await check()).toEqual([expect.stringContaining(what)])
  })

  it('reports an asset that is still processed', async () => {
    await insertAsset('Processing', completed.slice(0, 2))
    expect(await check()).toEqual([`asset ${id} is Processing`])
  })
})

describe('I5: checkTimelines', () => {
  it.each([
    ['accepts a complete timeline', 'Completed', completed, []],
    ['reports a gap', 'Completed', [completed[0], completed[2]], [expect.stringContaining('jumps to 3')]],
    ['reports a status without its entry', 'Completed', completed.slice(0, 2), [expect.stringContaining('ends in')]],
    [
      'reports a second completion',
      'Completed',
      [...completed, [4, 'completed']],
      [expect.stringContaining('completed in the state completed')],
    ],
  ] as const)('%s', async (_, status, timeline, expected) => {
    await insertAsset(status, timeline)
    expect(await violationsOf(checkTimelines(superuser))).toEqual(expected)
  })
})

describe('I1: checkSources', () => {
  it('reports an uploaded file that storage does not have, or with another size', async () => {
    using uploads = new Objects(env, 'reelkeep-uploads')
    const stored = await uploads.put(`${organizationId}/source`, 'bytes')
    await insertAsset('Completed', completed)
    const setSource = (key: string) =>
      run('update assets set source_key = $3, source_version = $4 where organization_id = $1 and id = $2', [
        ...[id, key, stored.version],
      ])
    await setSource(stored.key)
    expect(await violationsOf(checkSources(superuser, env))).toEqual([])
    await run('update assets set bytes = 4 where organization_id = $1 and id = $2', [id])
    expect(await violationsOf(checkSources(superuser, env))).toEqual([
      expect.stringContaining('has 5 bytes, expected 4'),
    ])
    await setSource(`${organizationId}/lost`)
    expect(await violationsOf(checkSources(superuser, env))).toEqual([expect.stringContaining('/lost: ')])
    await uploads.delete(stored)
  })
})

describe('I8: checkPublished', () => {
  const prefix = () => `${organizationId}/media/${id}/`
  const check = () => violationsOf(checkPublished(superuser, env))
  const publish = (part: string, folder: string) =>
    run(
      `insert into published_files (organization_id, asset_id, prefix, names, bytes, md5, step, part)
       values ($1, $2, $3, '{one}', '{5}', $4, 'encode', $5)`,
      [id, prefix() + folder, createHash('md5').update('bytes').digest(), part],
    )

  it('reports a file that is missing, and one with other bytes', async () => {
    await publish('1', 'a/')
    expect(await check()).toEqual([expect.stringContaining('one: ')])
    const stored = await media.put(`${prefix()}a/one`, 'bytes')
    expect(await check()).toEqual([])
    await media.put(`${prefix()}a/one`, 'wrong')
    expect(await check()).toEqual([expect.stringContaining('is not the file that was published')])
    await media.delete(stored)
  })

  it('reports a part of a step that two attempts have published', async () => {
    for (const folder of ['a/', 'b/']) {
      await media.put(`${prefix()}${folder}one`, 'bytes')
      await publish('1', folder)
    }
    expect(await check()).toEqual([`encode 1 of ${id} was published twice`])
    for (const stored of await media.versions(prefix())) await media.delete(stored)
  })
})

describe('I9: sequenceViolations', () => {
  it('reports an event that is missing in the log, and one that is in it twice', async () => {
    const log = await readLog(caller)
    expect(sequenceViolations(log)).toEqual([])
    expect(sequenceViolations(log.slice(1))).toHaveLength(1)
    expect(sequenceViolations([...log, ...log.slice(-1)])).toHaveLength(1)
    const repeated = log.slice(-1).map((event) => ({ ...event, number: event.number + 1 }))
    expect(sequenceViolations([...log, ...repeated])).toEqual(['1 events are in the log twice'])
    const inNewRange = log.slice(-1).map((event) => ({ ...event, id: randomUUID(), number: event.number + 2 ** 39 }))
    expect(sequenceViolations([...log, ...inNewRange], 1)).toEqual([])
    expect(sequenceViolations([...log, ...inNewRange])).toEqual(['gaps in the log: 1, failovers: 0'])
  })
})

describe('I10: checkCounters and checkLists', () => {
  it.each([
    ['folders', 'folder_counts', 'folder_count'],
    ['folders at the root', 'folder_counts', 'root_count'],
    ['assets', 'asset_counts', 'asset_count'],
    ['stored bytes', 'usage_counts', 'stored_bytes'],
    ['stored bytes by day', 'usage_days', 'stored_bytes'],
    ['assets by day', 'usage_days', 'assets'],
    ['bytes of renditions by day', 'usage_days', 'rendition_bytes'],
  ])('reports a wrong counter of %s', async (what, table, column) => {
    await insertUsage()
    expect(await violationsOf(checkCounters(superuser))).toEqual([])
    await run(`update ${table} set ${column} = ${column} + 1 where organization_id = $1`)
    expect(await violationsOf(checkCounters(superuser))).toEqual([expect.stringContaining(` ${what}, but has `)])
  })

  it('reports a list with another number of entries than its count, and an entry that is listed twice', async () => {
    expect(await violationsOf(checkLists(caller))).toEqual([])
    const entry = { id, uuid: id }
    const callerOf = (count: number, results: readonly object[]) =>
      new Caller(
        async () => ({
          ...{ status: 200, headers: { 'content-type': 'application/json' } },
          text: JSON.stringify({ count, next: null, results }),
        }),
        ...([organizationId, 'token'] as const),
      )
    expect(await violationsOf(checkLists(callerOf(2, [entry])))).toContainEqual(
      expect.stringContaining('counts 2 and lists 1'),
    )
    expect(await violationsOf(checkLists(callerOf(2, [entry, entry])))).toContainEqual(
      expect.stringContaining('lists an entry twice'),
    )
  })

  /** A row of the counters of usage, which have none before the first file. */
  async function insertUsage(): Promise<void> {
    await run(`insert into usage_counts (organization_id, slot, month) values ($1, 0, '2020-01')`)
    await run(`insert into usage_days (organization_id, slot, day) values ($1, 0, '2020-01-01')`)
  }
})

describe('I11 and I12: checkChurn', () => {
  const evidence = {
    ...{ env, assetsMost: 2, assetsMax: 2 },
    churn: {
      ...{ counts: { created: 1, played: 1, deleted: 1, late: 0 }, violations: [] as string[], overQuota: 1 },
      record: { organizationId: 'nobody' },
    },
  }
  const exitCodeOf = async (changed: object) => {
    const report = new DrillReport()
    await checkChurn(report, { ...evidence, ...changed }, superuser)
    return report.exitCode
  }

  it('passes if nothing is left and the quota was never exceeded', async () => {
    expect(await exitCodeOf({})).toBe(0)
  })

  it('fails for more assets than the quota, a video that does not play, and rows that are left', async () => {
    expect(await exitCodeOf({ assetsMost: 3 })).toBe(1)
    expect(await exitCodeOf({ assetsMost: 0 })).toBe(1)
    expect(await exitCodeOf({ churn: { ...evidence.churn, violations: ['not encoded'] } })).toBe(1)
    await run(`update assets set organization_id = 'nobody' where organization_id = $1`)
    expect(await exitCodeOf({})).toBe(1)
  })

  it('finds sessions, published files and objects', async () => {
    expect(await rowsOf(superuser, organizationId)).toContainEqual(expect.stringContaining('session '))
    const organization = `left${randomUUID()}`
    const stored = await media.put(`${organization}/media/one`, 'bytes')
    expect(await checkNothingLeft(env, organization, 0)).toEqual([expect.stringContaining(stored.key)])
    await media.delete(stored)
    expect(await checkNothingLeft(env, organization, 0)).toEqual([])
  })
})

describe('I7 and I13: checkRefused', () => {
  const exitCodeOf = async (foreign: number, violations: readonly string[] = []) => {
    const report = new DrillReport()
    await checkRefused(report, { refused: { counts: { invalid: 1, foreign }, violations: [...violations] } }, superuser)
    return report.exitCode
  }

  it('passes if every request was refused and left nothing', async () => {
    expect(await exitCodeOf(1)).toBe(0)
  })

  it('fails if a request was not refused, or if none was sent', async () => {
    expect(await exitCodeOf(1, ['GET returned 200'])).toBe(1)
    expect(await exitCodeOf(0)).toBe(1)
  })

  it.each([
    ['folder', `update folders set title = 'Refused 1' where organization_id = $1`],
    ['asset', `update assets set title = 'Refused 1' where organization_id = $1`],
    ['event', `update events set data = '{"title": "Refused 1"}' where organization_id = $1`],
  ])('fails if a refused request left a title in an %s', async (_, statement) => {
    await run(statement)
    expect(await exitCodeOf(1)).toBe(1)
  })
})

describe('I14: checkSecrets', () => {
  it('reports each line with a secret, and an instance without a log', () => {
    const instances = [{ name: 'api-1', log: 'started\ntoken s3cret\n' }]
    expect(checkSecrets(instances, ['s3cret']).violations).toEqual(['api-1: token s3cret'])
    expect(checkSecrets(instances, ['other']).violations).toEqual([])
    expect(checkSecrets([{ name: 'api-1', log: '' }], ['other']).violations).toEqual(['api-1 has logged nothing'])
  })
})

it('addCheck fails for a violation, an error, and a check without anything to check', async () => {
  const exitCodeOf = async (check: Parameters<typeof addCheck>[2]) => {
    const report = new DrillReport()
    await addCheck(report, 'check', check)
    return report.exitCode
  }
  expect(await exitCodeOf(() => ({ checked: 1, violations: [] }))).toBe(0)
  expect(await exitCodeOf(() => ({ checked: 1, violations: ['wrong'] }))).toBe(1)
  expect(await exitCodeOf(() => ({ checked: 0, violations: [] }))).toBe(1)
  expect(await exitCodeOf(() => Promise.reject(new Error('unavailable')))).toBe(1)
})

describe('unexpectedErrors', () => {
  const errorOf = (status: number | undefined, kind: 'write' | 'file' = 'write') => ({
    ...{ kind, status, isRefusal: false, sentAt: 0, at: 0, request: 'POST', detail: '' },
  })

  it('reports internal errors and refused valid requests, and accepts what a fault explains', () => {
    const failed = [undefined, 409, 503].map((status) => errorOf(status))
    expect(unexpectedErrors({ failed: [...failed, errorOf(403, 'file')] })).toEqual([])
    expect(unexpectedErrors({ failed: [errorOf(500), errorOf(404)] })).toHaveLength(2)
  })
})
