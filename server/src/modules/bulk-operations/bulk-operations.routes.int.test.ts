import type { bulkOperations as contract, Page, Problem } from '@reelkeep/contract'
import { type Caller, openSession, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const PATH = 'bulk-operations/'

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const newAsset = async (fields: object = {}) => (await openSession(caller, fields)).asset.id
const create = (body: object) => caller.post<contract.BulkOperation>(PATH, body)
const preview = (body: object) => caller.post<contract.BulkPreview>(PATH, { ...body, dry_run: true })
const count = async () => (await caller.get<Page<contract.BulkOperationSummary>>(PATH)).body.count
const unknownId = '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e'

describe('POST bulk-operations/', () => {
  it('201: creates an operation on the given assets', async () => {
    const ids = [await newAsset(), await newAsset()]
    const { status, body } = await create({ action: 'add_tags', ids: [...ids, ...ids], tags: ['a'] })
    expect([status, body]).toMatchObject([
      201,
      {
        action: 'add_tags',
        tags: ['a'],
        folder: null,
        metadata: null,
        status: 'Queued',
        progress: { total: 2, done: 0, failed: 0 },
        error: null,
        errors: [],
        created_by: { kind: 'token' },
        started_at: null,
        finished_at: null,
      },
    ])
    expect((await caller.get(`${PATH}${body.id}/`)).body).toEqual(body)
  })

  it('201: creates an operation on the assets that match the filter, without exceptions', async () => {
    const [one] = [await newAsset({ tags: ['a'] }), await newAsset({ tags: ['a'] }), await newAsset()]
    const total = async (body: object) => (await create({ action: 'retry', ...body })).body.progress.total
    expect(await total({ filter: {} })).toBe(3)
    expect(await total({ filter: { tag: ['A'] } })).toBe(2)
    expect(await total({ filter: { tag: ['a'] }, except_ids: [one, unknownId] })).toBe(1)
    expect(await total({ filter: { folder: 'root', status: ['Not Started'], has: ['chapters'] } })).toBe(0)
  })

  it('201: an operation without assets is completed at once', async () => {
    const { body } = await create({ action: 'delete', filter: { tag: ['none'] } })
    expect(body).toMatchObject({ status: 'Completed', progress: { total: 0 } })
    expect(body.finished_at).not.toBeNull()
  })

  it('201: returns the first response again for the same Idempotency-Key', async () => {
    const body = { action: 'retry', ids: [await newAsset()] }
    const headers = { 'idempotency-key': 'once' }
    const first = await caller.post<contract.BulkOperation>(PATH, body, headers)
    const second = await caller.post<contract.BulkOperation>(PATH, body, headers)
    expect([second.body.id, await count()]).toEqual([first.body.id, 1])
  })

  it('400: requires exactly one selection and the parameter of the action', async () => {
    const ids = [unknownId]
    const invalid = [
      [{ action: 'retry' }, 'ids'],
      [{ action: 'retry', ids: [] }, 'ids'],
      [{ action: 'retry', ids, filter: {} }, 'ids'],
      [{ action: 'retry', ids, except_ids: ids }, 'except_ids'],
      [{ action: 'move', ids }, 'folder'],
      [{ action: 'add_tags', ids }, 'tags'],
      [{ action: 'set_metadata', ids }, 'metadata'],
      [{ action: 'delete', ids, tags: ['a'] }, 'tags'],
      [{ action: 'retry', filter: { order: 'title' } }, 'filter.order'],
      [{ action: 'retry', ids: Array(1001).fill(unknownId) }, 'ids'],
    ] as const
    for (const [body, field] of invalid) {
      const refused = await caller.post<Problem>(PATH, body)
      expect([body, refused.status, refused.body.errors[0]?.field]).toEqual([body, 400, field])
    }
    expect(await count()).toBe(0)
  })

  it('403: requires the scope assets:write, which the same change of one asset requires', async () => {
    const scopes = ['assets:read']
    const { body } = await caller.post<{ token: string }>('tokens/', { name: 'Reader', scopes })
    for (const dry_run of [false, true]) {
      const refused = await caller
        .withToken(body.token)
        .post<Problem>(PATH, { action: 'delete', ids: [unknownId], dry_run })
      expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
    }
  })
})

describe('a dry run', () => {
  it('returns the number of assets and the newest of them, and stores nothing', async () => {
    const ids: string[] = []
    for (let number = 1; number <= 12; number++) ids.push(await newAsset({ title: `Part ${number}` }))
    const { status, body } = await preview({ action: 'delete', filter: { q: 'part' }, except_ids: ids.slice(0, 1) })
    expect([status, body.dry_run, body.count, body.sample.length]).toEqual([201, true, 11, 10])
    expect(body.sample[0]).toEqual({ id: ids[11], title: 'Part 12' })
    expect(await count()).toBe(0)
  })

  it('counts the ids that exist, in the trash for actions on the trash', async () => {
    const fields = { title: 'Lecture', tags: ['Ü'] }
    const [listed, trashed] = [await newAsset(fields), await newAsset(fields)]
    await caller.delete(`assets/${trashed}/`)
    const ids = [listed, trashed, unknownId]
    const found = async (body: object) => (await preview(body)).body.sample.map(({ id }) => id)
    expect(await found({ action: 'retry', ids })).toEqual([listed])
    expect(await found({ action: 'purge', ids })).toEqual([trashed])
    for (const filter of [{}, { tag: ['ü'] }, { q: 'lecture', folder: 'root' }, { status: ['Not Started'] }]) {
      expect([filter, await found({ action: 'delete', filter })]).toEqual([filter, [listed]])
      expect([filter, await found({ action: 'restore', filter })]).toEqual([filter, [trashed]])
    }
  })

  it('selects nothing that was deleted with a folder', async () => {
    const folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'folder' })).body.uuid
    const asset = await newAsset({ folder })
    await caller.delete(`assets/folders/${folder}/?recursive=true`)
    expect((await preview({ action: 'restore', filter: {} })).body.count).toBe(0)
    expect((await preview({ action: 'restore', ids: [asset] })).body.count).toBe(1)
  })
})

describe('bulk operations of the organization', () => {
  it('are listed newest first, in pages, and invisible to other organizations', async () => {
    const ids = [await newAsset()]
    const operations = []
    for (let number = 0; number < 3; number++) operations.push((await create({ action: 'retry', ids })).body.id)
    const page = (await caller.get<Page<contract.BulkOperationSummary>>(`${PATH}?limit=2`)).body
    const next = (await caller.get<Page<contract.BulkOperationSummary>>(page.next ?? '')).body
    expect([page.count, ...[...page.results, ...next.results].map(({ id }) => id)]).toEqual([
      3,
      ...operations.reverse(),
    ])
    const other = await testApi.newOrganization()
    for (const path of ['', 'cancel/']) {
      const send = path
        ? other.post<Problem>(`${PATH}${operations[0]}/${path}`)
        : other.get<Problem>(`${PATH}${operations[0]}/`)
      expect((await send).body.code).toBe('bulk_operation_not_found')
    }
  })

  it('can be cancelled before they start, repeatedly', async () => {
    const { body } = await create({ action: 'retry', ids: [await newAsset()] })
    for (let time = 0; time < 2; time++) {
      const cancelled = await caller.post<contract.BulkOperation>(`${PATH}${body.id}/cancel/`)
      expect([cancelled.status, cancelled.body.status]).toEqual([200, 'Cancelled'])
    }
  })
})
