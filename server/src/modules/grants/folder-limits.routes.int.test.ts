/** Tokens and members that are limited to a folder or to what they created. */
import { randomUUID } from 'node:crypto'
import type { assets, events, folders, Problem, tokens } from '@reelkeep/contract'
import { type Caller, newMember, openSession, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const FOLDERS = 'assets/folders/'
const SESSIONS = 'assets/upload-sessions/'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

let caller: Caller
/** A caller whose token is limited to `inside`, which is in `above`. */
let limited: Caller
let above: string
let inside: string
let below: string
let outside: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  above = await newFolder('above')
  inside = await newFolder('inside', above)
  below = await newFolder('below', inside)
  outside = await newFolder('outside', above)
  limited = await limitedTo(inside)
})

const newFolder = async (title: string, parent: string | null = null) =>
  (await caller.post<{ uuid: string }>(FOLDERS, { title, parent })).body.uuid

const newToken = (by: Caller, input: object) =>
  by.post<tokens.NewToken & Problem>('tokens/', { name: 'x', scopes: ['*'], ...input })

async function limitedTo(folder: string): Promise<Caller> {
  return caller.withToken((await newToken(caller, { folder_uuid: folder })).body.token)
}

const newAsset = async (folder: string | null, more: object = {}) =>
  (await openSession(caller, { folder, title: 'Lecture', tags: ['a'], ...more })).asset.id
const statusOf = async (by: Caller, path: string) => (await by.get(path)).status
type List = { readonly count: number; readonly results: readonly { readonly id: string; readonly uuid: string }[] }
const list = async (by: Caller, path: string) => (await by.get<List>(path)).body
const idsIn = async (by: Caller, path: string) => (await list(by, path)).results.map(({ id, uuid }) => id ?? uuid)

describe('a token that is limited to a folder', () => {
  it('finds the folder and what is below it, and nothing else', async () => {
    const [shown, deep, hidden, atRoot] = [
      await newAsset(inside),
      await newAsset(below),
      await newAsset(outside),
      await newAsset(null),
    ]
    for (const id of [shown, deep]) expect(await statusOf(limited, `assets/${id}/`)).toBe(200)
    for (const id of [hidden, atRoot]) expect(await statusOf(limited, `assets/${id}/`)).toBe(404)
    for (const uuid of [inside, below]) expect(await statusOf(limited, `${FOLDERS}${uuid}/`)).toBe(200)
    for (const uuid of [above, outside]) expect(await statusOf(limited, `${FOLDERS}${uuid}/`)).toBe(404)
    const queries = [
      '',
      'folder=root&recursive=true',
      'order=title',
      'tag=a',
      'q=Lecture',
      `id=${hidden}&id=${deep}&id=${shown}`,
    ]
    for (const query of queries) {
      const { count, results } = await list(limited, `assets/?${query}`)
      expect([query, count, results.map(({ id }) => id).sort()]).toEqual([query, 2, [shown, deep].sort()])
    }
    expect(await list(limited, 'assets/?folder=root')).toMatchObject({ count: 0, results: [] })
    expect(await idsIn(limited, FOLDERS)).toEqual([below, inside])
    expect(await list(limited, `${FOLDERS}?parent=root`)).toMatchObject({ count: 1, results: [{ uuid: inside }] })
    expect(await list(limited, `${FOLDERS}?q=e`)).toMatchObject({ count: 2 })
    expect(await idsIn(limited, `${FOLDERS}?q=out`)).toEqual([])
    const sessions = await list(limited, SESSIONS)
    expect([sessions.count, sessions.results.length]).toEqual([2, 2])
  })

  it('shows the folder of the limit without its parent', async () => {
    const { body } = await limited.get<folders.FolderDetails>(`${FOLDERS}${inside}/`)
    expect([body.parent, body.path]).toEqual([null, []])
    const deep = await limited.get<folders.FolderDetails>(`${FOLDERS}${below}/`)
    expect(deep.body).toMatchObject({ parent: inside, path: [{ uuid: inside }] })
    const tree = await limited.get<{ results: object[] }>(`${FOLDERS}tree/`)
    expect(tree.body.results).toMatchObject([
      { uuid: inside, parent: null, depth: 1 },
      { uuid: below, parent: inside, depth: 2 },
    ])
  })

  it('creates and moves only inside', async () => {
    const asset = await newAsset(below)
    const created = await limited.post(FOLDERS, { title: 'new', parent: inside })
    expect(created.status).toBe(201)
    const uploaded = await limited.post(SESSIONS, { title: 'x', resolutions: ['360p'], folder: below })
    expect(uploaded.status).toBe(201)
    expect((await limited.post(`assets/${asset}/move/`, { folder: inside })).status).toBe(200)
    const refused = [
      limited.post<Problem>(FOLDERS, { title: 'x' }),
      limited.post<Problem>(FOLDERS, { title: 'x', external_id: 'one' }),
      limited.post<Problem>(SESSIONS, { title: 'x', resolutions: ['360p'] }),
      limited.post<Problem>(`assets/${asset}/move/`, { folder: null }),
      limited.patch<Problem>(`assets/${asset}/`, { folder: null }),
      limited.post<Problem>(`${FOLDERS}${below}/move/`, { parent: null }),
      limited.post<Problem>(`${FOLDERS}${inside}/move/`, { parent: below }),
      limited.patch<Problem>(`${FOLDERS}${inside}/`, { title: 'x' }),
      limited.delete<Problem>(`${FOLDERS}${inside}/?recursive=true&permanently=true`),
    ]
    for (const { body } of await Promise.all(refused)) expect(body.code).toBe('outside_folder')
    const missing = [
      [limited.post<Problem>(FOLDERS, { title: 'x', parent: outside }), 'parent_not_found'],
      [
        limited.post<Problem>(SESSIONS, { title: 'x', resolutions: ['360p'], folder: above }),
        'target_folder_not_found',
      ],
      [limited.post<Problem>(`assets/${asset}/move/`, { folder: outside }), 'target_folder_not_found'],
      [limited.post<Problem>(`${FOLDERS}${below}/move/`, { parent: above }), 'parent_not_found'],
      [limited.delete<Problem>(`${FOLDERS}${outside}/`), 'folder_not_found'],
    ] as const
    for (const [response, code] of missing) expect((await response).body.code).toBe(code)
  })

  it('loses what is moved out, and finds what is moved in', async () => {
    const asset = await newAsset(below)
    await caller.post(`${FOLDERS}${below}/move/`, { parent: outside })
    expect([await statusOf(limited, `assets/${asset}/`), await idsIn(limited, 'assets/')]).toEqual([404, []])
    await caller.post(`${FOLDERS}${below}/move/`, { parent: inside })
    expect([await statusOf(limited, `assets/${asset}/`), await idsIn(limited, 'assets/')]).toEqual([200, [asset]])
  })

  it('finds nothing when the folder is deleted or purged, not even in the trash', async () => {
    const asset = await newAsset(inside)
    const deleted = await newAsset(below)
    await caller.delete(`assets/${deleted}/`)
    const nothing = async () => {
      for (const path of [`assets/${asset}/`, `${FOLDERS}${inside}/`, `${FOLDERS}${above}/`]) {
        expect([path, await statusOf(limited, path)]).toEqual([path, 404])
      }
      for (const path of [
        'assets/',
        'assets/?q=a',
        FOLDERS,
        `${FOLDERS}?parent=root`,
        'trash/',
        SESSIONS,
        'bulk-operations/',
      ]) {
        expect([path, await list(limited, path)]).toEqual([path, expect.objectContaining({ count: 0, results: [] })])
      }
      expect((await limited.post<Problem>(FOLDERS, { title: 'x', parent: inside })).body.code).toBe('parent_not_found')
      expect((await limited.post(`${FOLDERS}${inside}/restore/`, {})).status).toBe(404)
      expect((await limited.get<{ results: events.Event[] }>('events/')).body.results).toEqual([])
    }
    await caller.delete(`${FOLDERS}${inside}/?recursive=true`)
    await nothing()
    await caller.delete(`${FOLDERS}${inside}/?recursive=true&permanently=true`)
    await nothing()
  })

  it('deletes, restores and purges what is inside', async () => {
    const asset = await newAsset(below)
    expect((await limited.delete(`${FOLDERS}${below}/?recursive=true`)).status).toBe(204)
    const trash = await list(limited, 'trash/')
    expect([trash.count, trash.results]).toMatchObject([1, [{ folder: { uuid: below, asset_count: 1 } }]])
    expect((await limited.post(`${FOLDERS}${below}/restore/`, {})).status).toBe(200)
    expect(await statusOf(limited, `assets/${asset}/`)).toBe(200)
    await limited.delete(`assets/${asset}/`)
    expect((await limited.delete(`${FOLDERS}${below}/?permanently=true`)).status).toBe(204)
    // The asset is at the root of the trash now, which is outside.
    expect([await list(limited, 'trash/'), (await list(caller, 'trash/')).count]).toMatchObject([{ count: 0 }, 1])
  })

  it('cannot delete what a legal hold above its folder protects', async () => {
    const asset = await newAsset(below)
    await caller.patch(`${FOLDERS}${above}/`, { legal_hold: true })
    expect((await limited.delete<Problem>(`assets/${asset}/`)).body.code).toBe('legal_hold')
    expect((await limited.delete<Problem>(`${FOLDERS}${below}/?recursive=true`)).body.code).toBe('legal_hold')
  })

  it('counts the depth of a folder from the root', async () => {
    let parent = inside
    for (let depth = 3; depth <= 32; depth++) parent = await newFolder(`depth ${depth}`, parent)
    const { body } = await limited.post<Problem>(FOLDERS, { title: 'x', parent })
    expect(body.code).toBe('folder_too_deep')
  })

  it('does not learn which asset or folder outside has an external id', async () => {
    await newAsset(outside, { external_id: 'one' })
    await caller.post(FOLDERS, { title: 'x', external_id: 'one' })
    const session = { title: 'x', resolutions: ['360p'], folder: inside, external_id: 'one' }
    const refused = await limited.post<Problem>(SESSIONS, session)
    expect(refused.body).toMatchObject({ code: 'external_id_taken', detail: expect.stringMatching(/^Another asset/) })
    const folder = await limited.post<Problem>(FOLDERS, { title: 'x', parent: inside, external_id: 'one' })
    expect(folder.body).toMatchObject({ code: 'external_id_taken', detail: expect.stringMatching(/^Another folder/) })
  })

  it('does not get the stored response to another token', async () => {
    const body = { title: 'x', parent: inside }
    const key = { 'idempotency-key': 'one' }
    await caller.post(FOLDERS, body, key)
    expect((await limited.post<Problem>(FOLDERS, body, key)).body.code).toBe('idempotency_key_reused')
    expect((await limited.post(FOLDERS, body, { 'idempotency-key': 'two' })).status).toBe(201)
    const again = await limited.post(FOLDERS, body, { 'idempotency-key': 'two' })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
  })

  it('is refused what concerns the whole organization', async () => {
    for (const path of ['webhooks/', 'signing-keys/', 'organization/', 'usage/']) {
      expect((await limited.get<Problem>(path)).body.code).toBe('outside_folder')
    }
    expect((await limited.delete<Problem>('access-tokens/')).body.code).toBe('outside_folder')
  })

  it('does not show folders outside in the timeline and the events of an asset that was there', async () => {
    const asset = await newAsset(null)
    await caller.post(`assets/${asset}/move/`, { folder: outside })
    await caller.post(`assets/${asset}/move/`, { folder: inside })
    const { body } = await limited.get<assets.Timeline>(`assets/${asset}/timeline/`)
    const details = body.entries.filter(({ what }) => what === 'moved').map(({ detail }) => detail)
    expect(details).toEqual(['Moved to another folder.', `Moved to the folder "inside" (${inside}).`])
    const log = await limited.get<{ results: events.Event[] }>(`events/?asset_id=${asset}&types=asset.updated`)
    const places = log.body.results.map(({ data }) => (data as { parent_id: string | null }).parent_id)
    expect(places).toEqual([null, inside])
  })
})

describe('a token that a limited token creates', () => {
  it('has the same folder, or one below it', async () => {
    expect((await newToken(limited, {})).body.folder_uuid).toBe(inside)
    const child = await newToken(limited, { folder_uuid: below })
    expect(child.body.folder_uuid).toBe(below)
    const rotated = await limited.post<tokens.NewToken>(`tokens/${child.body.id}/rotate/`, {})
    expect(rotated.body.folder_uuid).toBe(below)
    expect(await idsIn(limited.withToken(rotated.body.token), FOLDERS)).toEqual([below])
    for (const folder_uuid of [outside, above]) {
      expect((await newToken(limited, { folder_uuid })).body.code).toBe('target_folder_not_found')
    }
  })

  it('is listed with the other tokens inside, and can be revoked', async () => {
    const { body: other } = await newToken(caller, { folder_uuid: outside })
    const { body: child } = await newToken(limited, { folder_uuid: below })
    const { body: own } = await limited.get<tokens.Token>('tokens/current/')
    expect(await list(limited, 'tokens/')).toMatchObject({ count: 2, results: [{ id: child.id }, { id: own.id }] })
    expect(await statusOf(limited, `tokens/${other.id}/`)).toBe(404)
    expect((await limited.delete(`tokens/${other.id}/`)).status).toBe(404)
    expect((await limited.post(`tokens/${other.id}/rotate/`, {})).status).toBe(404)
    expect((await limited.delete(`tokens/${child.id}/`)).status).toBe(204)
  })

  it('cannot exceed limits that the grantor got a moment ago', async () => {
    const { body: own } = await limited.get<tokens.Token>('tokens/current/')
    await superuser.query('update tokens set folder_uuid = $2 where id = $1', [own.id, below])
    expect((await newToken(limited, {})).body.folder_uuid).toBe(below)
    expect((await newToken(limited, { folder_uuid: inside })).body.code).toBe('target_folder_not_found')
  })
})

describe('a member who is limited to what they created', () => {
  it('finds their own assets and upload sessions only, and all folders', async () => {
    const scopes = ['assets:read', 'uploads:write', 'folders:read'] as const
    const { caller: uploader } = await newMember(superuser, caller, { scopes, ownOnly: true })
    const other = await newAsset(inside)
    const opened = await openSession(uploader, { folder: inside })
    expect(await list(uploader, 'assets/')).toMatchObject({ count: 1, results: [{ id: opened.asset.id }] })
    expect(await idsIn(uploader, `assets/?folder=${inside}`)).toEqual([opened.asset.id])
    expect(await list(uploader, SESSIONS)).toMatchObject({ count: 1, results: [{ uuid: opened.upload_session.uuid }] })
    expect([await statusOf(uploader, `assets/${other}/`), (await list(uploader, FOLDERS)).count]).toEqual([404, 4])
    expect((await uploader.get<folders.FolderDetails>(`${FOLDERS}${inside}/`)).body.asset_count).toBe(1)
  })

  it('cannot delete a folder with assets of others', async () => {
    const { caller: uploader } = await newMember(superuser, caller, { ownOnly: true })
    const asset = await newAsset(below)
    const refused = await uploader.delete<Problem>(`${FOLDERS}${below}/?recursive=true`)
    expect(refused.body.code).toBe('outside_folder')
    expect(await statusOf(caller, `assets/${asset}/`)).toBe(200)
  })
})

describe('the events that a limited token reads', () => {
  it('are those of assets and folders inside', async () => {
    const hidden = await newAsset(outside)
    await newToken(caller, {})
    const shown = await newAsset(inside)
    const subjects = async () => {
      const { body } = await limited.get<{ results: events.Event[] }>('events/')
      return body.results.map(({ asset_id, data }) => asset_id ?? (data as { uuid: string }).uuid)
    }
    const seen = await subjects()
    expect(new Set(seen)).toEqual(new Set([inside, below, shown]))
    const { body: first } = await limited.get<{ results: events.Event[] }>('events/?types=folder.*')
    expect(first.results[0]).toMatchObject({ data: { uuid: inside, parent: null } })
    expect(seen).not.toContain(hidden)
  })
})

describe('a bulk operation of a limited token', () => {
  const bulk = (by: Caller, body: object) => by.post<{ id: string; count: number } & Problem>('bulk-operations/', body)

  it('selects only what is inside, and is seen only with the same limits', async () => {
    const shown = await newAsset(inside)
    const hidden = await newAsset(outside)
    const preview = { action: 'add_tags', tags: ['x'], dry_run: true }
    expect((await bulk(limited, { ...preview, filter: {} })).body).toMatchObject({ count: 1, sample: [{ id: shown }] })
    expect((await bulk(limited, { ...preview, ids: [shown, hidden, randomUUID()] })).body).toMatchObject({ count: 1 })
    const own = await bulk(limited, { action: 'add_tags', tags: ['x'], filter: {} })
    const other = await bulk(caller, { action: 'add_tags', tags: ['x'], filter: {} })
    expect(own.body).toMatchObject({ progress: { total: 1 } })
    expect(await list(limited, 'bulk-operations/')).toMatchObject({ count: 1, results: [{ id: own.body.id }] })
    expect(await statusOf(limited, `bulk-operations/${other.body.id}/`)).toBe(404)
    expect((await limited.post(`bulk-operations/${other.body.id}/cancel/`)).status).toBe(404)
    expect((await limited.post(`bulk-operations/${own.body.id}/cancel/`)).status).toBe(200)
  })
})
