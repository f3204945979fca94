/** The execution of bulk operations, in the process of the test. */
import type { assets, bulkOperations as contract, events } from '@reelkeep/contract'
import { type Caller, openDatabase, openSession, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BulkOperationId, OrganizationId } from '../../kernel/ids.ts'
import { runOperation } from './bulk-operations.ts'

const PATH = 'bulk-operations/'
const FOLDERS = 'assets/folders/'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const worker = await opened(Promise.resolve(openDatabase(stackEnv().DATABASE_WORKER_URL)))
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const newAsset = async (fields: object = {}) => (await openSession(caller, fields)).asset.id
const newFolder = async (title: string, parent: string | null = null) =>
  (await caller.post<{ uuid: string }>(FOLDERS, { title, parent })).body.uuid
const read = async (id: string) => (await caller.get<assets.Asset>(`assets/${id}/`)).body
const create = async (body: object) => (await caller.post<contract.BulkOperation>(PATH, body)).body
const status = async (id: string) => (await caller.get<contract.BulkOperation>(`${PATH}${id}/`)).body

const run = (id: string, signal = new AbortController().signal) =>
  runOperation(worker.forRequest(caller.organizationId as OrganizationId), id as BulkOperationId, {
    settings: { formSecondsMax: 60 },
    signal,
  })

/** The signal is aborted during the first batch, which is finished. */
async function runOneBatch(id: string): Promise<void> {
  const stop = new AbortController()
  const running = run(id, stop.signal)
  stop.abort()
  await expect(running).rejects.toThrow('aborted')
}

async function runNew(body: object): Promise<contract.BulkOperation> {
  const { id } = await create(body)
  await run(id)
  return status(id)
}

const eventsOf = async (type: string) => {
  const { results } = (await caller.get<{ results: events.Event[] }>(`events/?types=${type}&limit=100`)).body
  return results.map(({ data }) => (data as { id: string }).id).sort()
}
const setOf = (ids: readonly string[]) => [...ids].sort()
const jobs = async () =>
  (
    await superuser.query<{ id: string }>(
      `select workflow_uuid as id from dbos.workflow_status
       where queue_partition_key = $1 and name = 'run-bulk-operation' order by 1`,
      [caller.organizationId],
    )
  ).map(({ id }) => id.split('/')[2])

/** Assets for tests with several batches, without upload sessions. */
async function seed(count: number): Promise<string[]> {
  const insert = `with seeded as (
      insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
        generate_subtitle)
      select $1, gen_random_uuid(), 'x', 'x', '{}', '{240p}', 'disable', false from generate_series(1, $2)
      returning id),
    counted as (insert into asset_counts (organization_id, slot, asset_count) select $1, 0, $2::bigint)
    select id from seeded order by id`
  return (await superuser.query<{ id: string }>(insert, [caller.organizationId, count])).map(({ id }) => id)
}

describe('add_tags and remove_tags', () => {
  it('change each asset as PATCH does, with one event and one timeline entry', async () => {
    const [one, two] = [await newAsset({ tags: ['Physics'] }), await newAsset()]
    const before = await caller.get<assets.Asset>(`assets/${two}/`)
    const added = await runNew({ action: 'add_tags', ids: [one, two], tags: ['physics', 'Summer'] })
    expect(added).toMatchObject({ status: 'Completed', progress: { total: 2, done: 2, failed: 0 }, errors: [] })
    expect([(await read(one)).tags, (await read(two)).tags]).toEqual([
      ['Physics', 'Summer'],
      ['physics', 'Summer'],
    ])
    const after = await caller.get<assets.Asset>(`assets/${two}/`)
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
    expect(after.body.updated_at > before.body.updated_at).toBe(true)
    expect(await eventsOf('asset.updated')).toEqual(setOf([one, two]))
    const { entries } = (await caller.get<assets.Timeline>(`assets/${two}/timeline/`)).body
    expect(entries.at(-1)).toMatchObject({ what: 'updated', detail: 'Changed: tags.' })
    await runNew({ action: 'remove_tags', filter: { tag: ['summer'] }, tags: ['SUMMER', 'unknown'] })
    expect([(await read(one)).tags, (await read(two)).tags]).toEqual([['Physics'], ['physics']])
    expect((await caller.get<{ count: number }>('assets/?tag=summer')).body.count).toBe(0)
  })

  it('count assets that already are as requested as done, without an event', async () => {
    const ids = [await newAsset({ tags: ['a'] })]
    const { updated_at } = await read(ids[0] ?? '')
    const operation = await runNew({ action: 'add_tags', ids, tags: ['A'] })
    expect(operation.progress).toEqual({ total: 1, done: 1, failed: 0 })
    expect([await eventsOf('asset.updated'), (await read(ids[0] ?? '')).updated_at]).toEqual([[], updated_at])
  })

  it('report an asset that would have too many tags, one that does not exist and one in the trash', async () => {
    const full = await newAsset({ tags: Array.from({ length: 50 }, (_, number) => `tag ${number}`) })
    const [other, trashed] = [await newAsset(), await newAsset()]
    await caller.delete(`assets/${trashed}/`)
    const unknown = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'
    const operation = await runNew({ action: 'add_tags', ids: [full, other, trashed, unknown], tags: ['new'] })
    expect([operation.status, operation.progress]).toEqual(['Completed', { total: 4, done: 1, failed: 3 }])
    const codes = Object.fromEntries(operation.errors.map(({ asset_id, code }) => [asset_id, code]))
    expect(codes).toEqual({ [full]: 'invalid_request', [trashed]: 'asset_not_found', [unknown]: 'asset_not_found' })
    expect(await eventsOf('asset.updated')).toEqual([other])
  })
})

describe('set_metadata', () => {
  it('merges as PATCH does, and reports assets that would have too many keys', async () => {
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`key ${number}`, 'x']))
    const [full, one] = [await newAsset({ metadata: keys }), await newAsset({ metadata: { a: '1', b: '2' } })]
    const operation = await runNew({ action: 'set_metadata', filter: {}, metadata: { a: null, c: '3' } })
    expect((await read(one)).metadata).toEqual({ b: '2', c: '3' })
    expect([operation.metadata, operation.errors]).toMatchObject([
      { a: null, c: '3' },
      [{ asset_id: full, code: 'invalid_request' }],
    ])
  })
})

describe('a selection', () => {
  it('contains neither exceptions nor assets that are created later', async () => {
    const [one, exception] = [await newAsset(), await newAsset()]
    const { id } = await create({ action: 'add_tags', filter: {}, except_ids: [exception], tags: ['a'] })
    const later = await newAsset()
    await run(id)
    expect([await read(one), await read(exception), await read(later)].map(({ tags }) => tags)).toEqual([['a'], [], []])
    expect(await eventsOf('asset.updated')).toEqual([one])
  })
})

describe('a row that requests do not find', () => {
  it('is neither selected by a filter nor changed by its id, although it is not in the trash', async () => {
    const hidden = await newAsset()
    const hide = 'update assets set is_listed = false where organization_id = $1 and id = $2'
    await superuser.query(hide, [caller.organizationId, hidden])
    for (const action of ['delete', 'restore', 'purge', 'retry'] as const) {
      expect([action, (await create({ action, filter: {} })).progress.total]).toEqual([action, 0])
      const { errors } = await runNew({ action, ids: [hidden] })
      expect([action, errors.map(({ code }) => code)]).toEqual([action, ['asset_not_found']])
    }
  })
})

describe('move', () => {
  it('moves assets, but none out of a folder on legal hold', async () => {
    const [held, target] = [await newFolder('held'), await newFolder('target')]
    const inner = await newFolder('inner', held)
    const [kept, moved] = [await newAsset({ folder: inner }), await newAsset()]
    await caller.patch(`${FOLDERS}${held}/`, { legal_hold: true })
    const operation = await runNew({ action: 'move', ids: [kept, moved], folder: target })
    expect([(await read(kept)).parent_id, (await read(moved)).parent_id]).toEqual([inner, target])
    expect(operation.errors).toMatchObject([{ asset_id: kept, code: 'legal_hold' }])
    expect(operation.errors[0]?.detail).toBe(`Folder ${held} is under legal hold. Lift the hold first.`)
    await runNew({ action: 'move', ids: [kept, moved], folder: held })
    expect([(await read(kept)).parent_id, (await read(moved)).parent_id]).toEqual([held, held])
  })

  it('ends with an error if the folder is deleted meanwhile, and keeps what was moved', async () => {
    await seed(600)
    const folder = await newFolder('folder')
    const { id } = await create({ action: 'move', filter: {}, folder })
    await runOneBatch(id)
    expect((await status(id)).progress.done).toBe(500)
    // The assets in the folder go to the trash with it.
    await caller.delete(`${FOLDERS}${folder}/?recursive=true`)
    await run(id)
    const { status: ended, error, progress } = await status(id)
    expect([ended, error?.code, progress.done]).toEqual(['Error', 'target_folder_not_found', 500])
    expect((await caller.get<{ count: number }>('assets/?folder=root')).body.count).toBe(100)
  })
})

describe('delete, restore and purge', () => {
  it('act on each asset as single requests do, and report assets on legal hold', async () => {
    const folder = await newFolder('folder')
    const [one, held, inHeld] = [await newAsset({ tags: ['a'] }), await newAsset(), await newAsset({ folder })]
    await caller.patch(`assets/${held}/`, { legal_hold: true })
    await caller.patch(`${FOLDERS}${folder}/`, { legal_hold: true })
    const deleted = await runNew({ action: 'delete', filter: {} })
    expect(deleted.progress).toEqual({ total: 3, done: 1, failed: 2 })
    expect(Object.fromEntries(deleted.errors.map(({ asset_id, code }) => [asset_id, code]))).toEqual({
      [held]: 'legal_hold',
      [inHeld]: 'legal_hold',
    })
    expect(await eventsOf('asset.deleted')).toEqual([one])
    await runNew({ action: 'restore', filter: { tag: ['A'] } })
    expect([await eventsOf('asset.restored'), (await read(one)).tags]).toEqual([[one], ['a']])
    const refused = await runNew({ action: 'purge', ids: [one] })
    expect(refused.errors).toMatchObject([{ asset_id: one, code: 'asset_not_found' }])
    await caller.delete(`assets/${one}/`)
    await runNew({ action: 'purge', filter: {} })
    expect(await eventsOf('asset.purged')).toEqual([one])
    expect((await caller.get<{ count: number }>('assets/')).body.count).toBe(2)
  })
})

describe('restore', () => {
  it('reports an asset whose restoration to the root would move it out of a legal hold', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    const [held, other] = [await newAsset({ folder: inner }), await newAsset()]
    for (const path of [`assets/${held}/`, `assets/${other}/`, `${FOLDERS}${inner}/`]) await caller.delete(path)
    await caller.patch(`${FOLDERS}${outer}/`, { legal_hold: true })
    const operation = await runNew({ action: 'restore', filter: {} })
    expect(operation.errors).toMatchObject([{ asset_id: held, code: 'legal_hold' }])
    expect(await eventsOf('asset.restored')).toEqual([other])
  })
})

describe('retry', () => {
  it('queues failed assets again, and reports those without an error', async () => {
    const [failed, healthy] = [await newAsset(), await newAsset()]
    await superuser.query(
      `update assets set status = 'Error', error_code = 'processing_failed', error_detail = 'x', bytes = 9,
         source_key = 'key', source_version = 'version', source_etag = 'etag' where organization_id = $1 and id = $2`,
      [caller.organizationId, failed],
    )
    const operation = await runNew({ action: 'retry', ids: [failed, healthy] })
    expect(operation.errors).toMatchObject([{ asset_id: healthy, code: 'nothing_to_retry' }])
    expect([(await read(failed)).video.status, await eventsOf('asset.queued')]).toEqual(['Queued', [failed]])
  })
})

describe('operations of one organization', () => {
  it('run one after the other: the end of one enqueues the next', async () => {
    const ids = [await newAsset()]
    const [first, second, third] = [
      await create({ action: 'add_tags', ids, tags: ['1'] }),
      await create({ action: 'add_tags', ids, tags: ['2'] }),
      await create({ action: 'add_tags', ids, tags: ['3'] }),
    ]
    expect(await jobs()).toEqual([first.id])
    await run(first.id)
    expect(await jobs()).toEqual([first.id, second.id])
    await caller.post(`${PATH}${second.id}/cancel/`)
    expect(await jobs()).toEqual([first.id, second.id, third.id])
    await run(second.id)
    await run(third.id)
    expect((await read(ids[0] ?? '')).tags).toEqual(['1', '3'])
  })

  it('change nothing after the response to a cancellation', async () => {
    const ids = await seed(2600)
    const { id } = await create({ action: 'add_tags', filter: {}, tags: ['a'] })
    const running = run(id)
    await expect.poll(async () => (await status(id)).progress.done, { interval: 5 }).toBeGreaterThan(0)
    const { body } = await caller.post<contract.BulkOperation>(`${PATH}${id}/cancel/`)
    const tagged = async () => (await caller.get<{ count: number }>('assets/?tag=a')).body.count
    const atResponse = await tagged()
    await running
    expect([await tagged(), (await status(id)).progress.done]).toEqual([atResponse, body.progress.done])
    expect(atResponse).toBe(body.progress.done)
    expect(body.progress.total).toBe(ids.length)
    const left = 'select from bulk_operation_batches where organization_id = $1'
    expect(await superuser.query(left, [caller.organizationId])).toEqual([])
  })

  it('change each asset once if two workers run the same operation', async () => {
    const ids = await seed(1200)
    const { id } = await create({ action: 'add_tags', filter: {}, tags: ['a'] })
    await Promise.all([run(id), run(id)])
    expect((await status(id)).progress).toEqual({ total: 1200, done: 1200, failed: 0 })
    await caller.get('events/')
    const counted = `select count(*)::int as count, count(distinct asset_id)::int as assets from events
      where organization_id = $1 and type = 'asset.updated'`
    expect(await superuser.query(counted, [caller.organizationId])).toEqual([{ count: ids.length, assets: ids.length }])
  })
})
