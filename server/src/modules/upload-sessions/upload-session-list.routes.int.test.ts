import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadSessions as contract, Page } from '@reelkeep/contract'
import { type Caller, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Sessions = Page<contract.UploadSessionDetails>

const SESSIONS = 'assets/upload-sessions/'

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const list = async (query = '') => (await caller.get<Sessions>(`${SESSIONS}${query}`)).body
const uuidsIn = ({ results }: Sessions) => results.map(({ uuid }) => uuid)

async function open(count: number): Promise<string[]> {
  const uuids: string[] = []
  while (uuids.length < count) uuids.push(await openNext(openSession))
  return uuids
}

/** Opens a session in a later millisecond, because ids of the same millisecond are unordered. */
async function openNext(open: typeof openSession): Promise<string> {
  await sleep(2)
  return (await open(caller)).upload_session.uuid
}

/** Creates one session in each status that a client can cause. */
async function one() {
  const created = await openNext(openSession)
  const uploading = await openNext(openSession)
  const part = { file_size_bytes: 20_000, numbers: [1] }
  await caller.post(`${SESSIONS}${uploading}/parts/`, part)
  const completed = await openNext(uploadAsset)
  const cancelled = await openNext(openSession)
  await caller.delete(`${SESSIONS}${cancelled}/`)
  return { Created: created, Uploading: uploading, Completed: completed, Cancelled: cancelled }
}

/** More pages than any list here has. The limit makes the test fail if paging never ends. */
const PAGES_MAX = 10

async function walk(first: string, way: 'next' | 'previous') {
  const pages: Sessions[] = []
  let last = first
  for (let url: string | null = first; url !== null; ) {
    last = url
    const page: Sessions = (await caller.get<Sessions>(url)).body
    pages.push(page)
    expect(pages.length, `pages of ${first}`).toBeLessThanOrEqual(PAGES_MAX)
    url = page[way]
  }
  return { pages, last }
}

describe('GET upload-sessions/', () => {
  it('200: returns an empty list', async () => {
    expect(await list()).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('200: lists sessions newest first, with the same fields as a single session', async () => {
    const { Created, Uploading, Completed, Cancelled } = await one()
    const page = await list()
    expect(uuidsIn(page)).toEqual([Cancelled, Completed, Uploading, Created])
    expect(page).toMatchObject({ count: 4, next: null, previous: null })
    for (const session of page.results) {
      expect((await caller.get(`${SESSIONS}${session.uuid}/`)).body).toEqual(session)
      expect(session).not.toHaveProperty('client_payload')
    }
  })

  it('200: filters by status', async () => {
    const uuids = await one()
    for (const [status, uuid] of Object.entries(uuids)) {
      const page = await list(`?status=${status}`)
      expect([status, uuidsIn(page), page.count]).toEqual([status, [uuid], 1])
      expect(page.results[0]?.status).toBe(status)
    }
    for (const status of ['Expired', 'Failed']) {
      expect(await list(`?status=${status}`)).toMatchObject({ count: 0, results: [] })
    }
  })

  it('200: the filter follows changes of the status', async () => {
    const [uuid] = await open(1)
    expect(uuidsIn(await list('?status=Created'))).toEqual([uuid])
    await caller.delete(`${SESSIONS}${uuid}/`)
    expect(uuidsIn(await list('?status=Created'))).toEqual([])
    expect(uuidsIn(await list('?status=Cancelled'))).toEqual([uuid])
  })

  it('200: omits sessions whose asset was deleted', async () => {
    const { asset } = await openSession(caller)
    const [remaining] = await open(1)
    await caller.delete(`assets/${asset.id}/`)
    expect(await list()).toMatchObject({ count: 1, results: [{ uuid: remaining }] })
  })

  it('200: lists only sessions of this organization', async () => {
    await open(2)
    const foreigner = await testApi.newOrganization()
    const [page, byStatus] = [
      await foreigner.get<Sessions>(SESSIONS),
      await foreigner.get<Sessions>(`${SESSIONS}?status=Created`),
    ]
    for (const { status, body } of [page, byStatus]) {
      expect([status, body.count, body.results]).toEqual([200, 0, []])
    }
    expect((await foreigner.at(caller.organizationId).get(SESSIONS)).status).toBe(404)
  })

  it("200: another organization's cursor shows none of its sessions", async () => {
    await open(3)
    const { next } = await list('?limit=1')
    const foreigner = await testApi.newOrganization()
    const cursor = new URL(next ?? '').searchParams.get('cursor')
    const { status, body } = await foreigner.get<Sessions>(`${SESSIONS}?cursor=${cursor}`)
    expect([status, body.count, body.results]).toEqual([200, 0, []])
  })

  it.each(['created', 'Open', '', 'Completed,Failed'])('400: rejects the status %j', async (status) => {
    const response = await caller.get(`${SESSIONS}?status=${status}`)
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request'])
    expect(response.body.errors.map(({ field }) => field)).toEqual(['status'])
  })

  it("400: rejects another list's cursor", async () => {
    for (const title of ['a', 'b']) await caller.post('assets/folders/', { title })
    const { body } = await caller.get<Sessions>('assets/folders/?limit=1')
    const cursor = new URL(body.next ?? '').searchParams.get('cursor')
    expect((await caller.get(`${SESSIONS}?cursor=${cursor}`)).body.code).toBe('invalid_cursor')
  })
})

describe('paging through upload sessions', () => {
  it('returns every session once in both directions, with the total count on each page', async () => {
    const uuids = await open(7)
    for (const uuid of uuids.slice(0, 4)) await caller.delete(`${SESSIONS}${uuid}/`)
    for (const [query, listed] of [
      ['', uuids],
      ['status=Created&', uuids.slice(4)],
      ['status=Cancelled&', uuids.slice(0, 4)],
    ] as const) {
      for (const limit of [1, 3, 7, 100]) {
        const newest = listed.toReversed()
        const forwards = await walk(`${SESSIONS}?${query}limit=${limit}`, 'next')
        expect(forwards.pages.flatMap(uuidsIn)).toEqual(newest)
        expect(new Set(forwards.pages.map(({ count }) => count))).toEqual(new Set([newest.length]))
        expect(forwards.pages).toHaveLength(Math.ceil(newest.length / limit))
        const backwards = await walk(forwards.last, 'previous')
        expect(backwards.pages.toReversed().flatMap(uuidsIn)).toEqual(newest)
      }
    }
  })

  it('neither repeats nor skips sessions while others are created and ended', async () => {
    const uuids = await open(4)
    const first = await list('?limit=2')
    await open(1)
    await caller.delete(`${SESSIONS}${uuids[3]}/`)
    const second = (await caller.get<Sessions>(first.next ?? '')).body
    expect([...uuidsIn(first), ...uuidsIn(second)]).toEqual(uuids.toReversed())
  })
})
