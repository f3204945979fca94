/** The fields of a folder that clients set. */
import type { folders as contract, events, Problem } from '@reelkeep/contract'
import { type Caller, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Folder = contract.FolderDetails

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const create = (more: object = {}) =>
  caller.post<contract.Folder & Problem>('assets/folders/', { title: 'Lectures', ...more })
const read = async (uuid: string) => (await caller.get<Folder>(`assets/folders/${uuid}/`)).body
const update = (uuid: string, change: object) => caller.patch<Folder & Problem>(`assets/folders/${uuid}/`, change)
const fields = { external_id: 'course-17', metadata: { term: 'summer' } }

describe.each(['at the root', 'in a folder'])('a folder %s', (where) => {
  const parentOf = async () => (where === 'at the root' ? null : (await create({ title: 'Parent' })).body.uuid)

  it('has the given external_id and metadata, or none', async () => {
    const parent = await parentOf()
    const { body: plain } = await create({ parent })
    expect(await read(plain.uuid)).toMatchObject({ external_id: null, metadata: {} })
    const { body: own } = await create({ parent, ...fields })
    expect(await read(own.uuid)).toMatchObject({ ...fields, parent })
    const { body: onlyMetadata } = await create({ parent, metadata: fields.metadata })
    expect(await read(onlyMetadata.uuid)).toMatchObject({ metadata: fields.metadata })
  })

  it('409: is not created if another folder has its external_id', async () => {
    const parent = await parentOf()
    const { body: first } = await create({ parent, ...fields })
    const count = (await caller.get<{ count: number }>('assets/folders/')).body.count
    const { status, body } = await create({ parent, ...fields })
    expect([status, body.code]).toEqual([409, 'external_id_taken'])
    expect(body.detail).toContain(first.uuid)
    expect((await caller.get<{ count: number }>('assets/folders/')).body.count).toBe(count)
  })
})

describe('PATCH assets/folders/<uuid>/', () => {
  it('200: changes any subset and records one event with the fields', async () => {
    const { body: folder } = await create(fields)
    const before = await read(folder.uuid)
    const { body } = await update(folder.uuid, { metadata: { term: null, room: '4' } })
    expect(body).toEqual({ ...before, metadata: { room: '4' }, updated_at: body.updated_at })
    expect((await update(folder.uuid, { title: 'Talks', external_id: null })).body).toMatchObject({
      ...{ title: 'Talks', external_id: null, metadata: { room: '4' } },
    })
    await update(folder.uuid, { title: 'Talks', metadata: {} })
    const { body: log } = await caller.get<{ results: events.Event[] }>('events/?types=folder.updated')
    expect(log.results.map(({ data }) => data)).toMatchObject([
      { title: 'Lectures', external_id: 'course-17', metadata: { room: '4' } },
      { title: 'Talks', external_id: null, metadata: { room: '4' } },
    ])
  })

  it('409: refuses the external_id of another folder', async () => {
    const { body: first } = await create(fields)
    const { body: second } = await create()
    const { status, body } = await update(second.uuid, { external_id: 'course-17' })
    expect([status, body.code, body.errors[0]?.field]).toEqual([409, 'external_id_taken', 'external_id'])
    expect(body.detail).toContain(first.uuid)
  })
})
