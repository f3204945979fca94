import { World } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world[Symbol.asyncDispose]())

type Folder = { title: string; uuid: string }
type Details = Folder & { parent: string | null; path: Folder[]; folder_count: number }
type Page = { count: number; next: string | null; previous: string | null; results: Folder[] }

describe('POST assets/folders/', () => {
  it('201: answers title and uuid and nothing else', async () => {
    const caller = await world.newOrganization()
    const { status, body } = await caller.post<Folder>('assets/folders/', { title: '  Lectures ' })
    expect(status).toBe(201)
    expect(body).toEqual({ title: 'Lectures', uuid: expect.stringMatching(/^[1-9A-Za-z]{11}$/) })
  })
})
describe('smoke', () => {
  it('moves', async () => {
    const caller = await world.newOrganization()
    const a = (await caller.post<Folder>('assets/folders/', { title: 'a' })).body
    const b = (await caller.post<Folder>('assets/folders/', { title: 'b', parent: a.uuid })).body
    const c = (await caller.post<Folder>('assets/folders/', { title: 'c', parent: b.uuid })).body
    expect((await caller.post(`assets/folders/${a.uuid}/move/`, { parent: c.uuid })).body.code).toBe('folder_into_itself')
    const moved = await caller.post<Details>(`assets/folders/${c.uuid}/move/`, { parent: null })
    expect(moved.body).toMatchObject({ parent: null, path: [] })
    expect((await caller.get<Details>(`assets/folders/${b.uuid}/`)).body).toMatchObject({ path: [{ title: 'a' }], folder_count: 0 })
    const list = await caller.get<Page>('assets/folders/?limit=2')
    expect(list.body.count).toBe(3)
    const second = await caller.get<Page>(list.body.next ?? '')
    expect(second.body.results).toHaveLength(1)
    const first = await caller.get<Page>(second.body.previous ?? '')
    expect(first.body.results).toEqual(list.body.results)
    expect((await caller.delete(`assets/folders/${a.uuid}/`)).body.code).toBe('folder_not_empty')
    expect((await caller.delete(`assets/folders/${a.uuid}/?recursive=true`)).status).toBe(204)
    expect((await caller.get<Page>('assets/folders/')).body.count).toBe(1)
    console.log((await caller.get('assets/folders/tree/')).text)
  })
})
