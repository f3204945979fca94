/** Bulk operations, run by a worker. */
import type { assets, bulkOperations, events, Problem, uploadSessions } from '@reelkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { FOLDERS } from './folders.ts'

const PATH = 'bulk-operations/'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.openSwept()
})
afterAll(() => deployment[Symbol.asyncDispose]())

async function newAsset(fields: object): Promise<string> {
  const input = { title: deployment.unique(), resolutions: ['240p'], ...fields }
  const { body } = await deployment.mine.post<uploadSessions.NewUploadSession>('assets/upload-sessions/', input)
  return body.asset.id
}
const read = (id: string) => deployment.mine.get<assets.Asset>(`assets/${id}/`)

async function finish(body: object): Promise<bulkOperations.BulkOperation> {
  const created = await deployment.mine.post<bulkOperations.BulkOperation>(PATH, body)
  expect(created.status).toBe(201)
  const current = async () =>
    (await deployment.mine.get<bulkOperations.BulkOperation>(`${PATH}${created.body.id}/`)).body
  await expect.poll(async () => (await current()).finished_at).not.toBeNull()
  return current()
}

const eventTypes = async (id: string) =>
  (await deployment.mine.get<{ results: events.Event[] }>(`events/?asset_id=${id}&types=asset.*`)).body.results.map(
    ({ type }) => type,
  )

describe('a bulk operation', () => {
  it('changes all assets that match, with the events of single requests, and reports what it cannot change', async () => {
    const tag = deployment.unique()
    const [one, held, exception] = [
      await newAsset({ tags: [tag] }),
      await newAsset({ tags: [tag] }),
      await newAsset({ tags: [tag] }),
    ]
    const selection = { filter: { tag: [tag] }, except_ids: [exception] }
    const preview = await deployment.mine.post<bulkOperations.BulkPreview>(PATH, {
      action: 'delete',
      ...selection,
      dry_run: true,
    })
    expect(preview.body).toMatchObject({ dry_run: true, count: 2, sample: [{ id: held }, { id: one }] })
    const folder = (await deployment.mine.post<{ uuid: string }>(FOLDERS, { title: deployment.unique() })).body.uuid
    const moved = await finish({ action: 'move', ...selection, folder })
    expect(moved).toMatchObject({ status: 'Completed', folder, progress: { total: 2, done: 2, failed: 0 } })
    expect((await Promise.all([one, held, exception].map(read))).map(({ body }) => body.parent_id)).toEqual([
      folder,
      folder,
      null,
    ])
    expect(await eventTypes(one)).toEqual(['asset.created', 'asset.updated'])
    await deployment.mine.patch(`assets/${held}/`, { legal_hold: true })
    const deleted = await finish({ action: 'delete', ...selection })
    expect(deleted).toMatchObject({
      progress: { total: 2, done: 1, failed: 1 },
      errors: [{ asset_id: held, code: 'legal_hold' }],
    })
    await deployment.mine.patch(`assets/${held}/`, { legal_hold: false })
    await finish({ action: 'restore', ids: [one] })
    expect((await read(one)).status).toBe(200)
    expect(await eventTypes(one)).toEqual(['asset.created', 'asset.updated', 'asset.deleted', 'asset.restored'])
  })

  it('404: is found only in its organization', async () => {
    const { id } = await finish({ action: 'retry', filter: { tag: [deployment.unique()] } })
    const { status, body } = await deployment.other.get<Problem>(`${PATH}${id}/`)
    expect([status, body.code]).toEqual([404, 'bulk_operation_not_found'])
  })

  it('403: requires the scope of the single requests', async () => {
    const reader = await deployment.newToken(['assets:read'])
    const { status, body } = await reader.post<Problem>(PATH, { action: 'delete', filter: {} })
    expect([status, body.code]).toEqual([403, 'insufficient_scope'])
  })
})
