import type { events as contract, ResponseOf } from '@reelkeep/contract'
import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { about, recordEvents } from './events.ts'

const testApi = await opened(TestApi.open())

type Log = ResponseOf<typeof contract.listEvents>

/** Creates an organization with one event per title. Returns the number of the last event before these. */
async function withFolders(...titles: string[]) {
  const caller = await testApi.newOrganization()
  const { after } = (await caller.get<Log>('events/')).body
  const db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
  const events = titles.map((title) =>
    about(title, {
      type: 'folder.created',
      data: { uuid: '7Hq2kVnW4sD', title, parent: null, purge_at: null, external_id: null, metadata: {} },
    }),
  )
  await recordEvents(db, ...events)
  return { caller, after }
}

describe('GET events/', () => {
  it('200: returns everything that was committed before the request', async () => {
    const { caller, after } = await withFolders('one')
    const { status, body } = await caller.get(`events/?after=${after}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      after: after + 1,
      has_more: false,
      next: expect.stringContaining(`/events/?after=${after + 1}`),
      results: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          number: after + 1,
          type: 'folder.created',
          asset_id: null,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
          data: { uuid: '7Hq2kVnW4sD', title: 'one', parent: null, purge_at: null, external_id: null, metadata: {} },
        },
      ],
    })
  })

  it('200: `last` starts before the end of the log, and `next` continues from there', async () => {
    const { caller, after } = await withFolders('one', 'two', 'three')
    const { body } = await caller.get<Log>('events/?last=2')
    expect(body.results.map(({ number }) => number)).toEqual([after + 2, after + 3])
    expect((await caller.get<Log>(body.next)).body.results).toEqual([])
    const all = await caller.get<Log>('events/?last=1000')
    expect(all.body.results.at(-1)?.number).toBe(after + 3)
    expect((await caller.get<Log>(`events/?last=1&after=${after}`)).body.results).toHaveLength(3)
  })

  it('200: `next` continues with the same filter, also at the end', async () => {
    const { caller, after } = await withFolders('one', 'two', 'three')
    const first = await caller.get<Log>(`events/?after=${after}&limit=2&types=folder.*`)
    const titles = ({ results }: Log) => results.map(({ data }) => (data as { title: string }).title)
    expect(titles(first.body)).toEqual(['one', 'two'])
    expect(first.body.has_more).toBe(true)
    const second = await caller.get<Log>(first.body.next)
    expect(titles(second.body)).toEqual(['three'])
    const nothing = await caller.get(second.body.next)
    expect(nothing.body).toMatchObject({ after: after + 3, has_more: false, results: [] })
  })

  it('410: rejects a number after the end of the log, which means that the log was restored', async () => {
    const { caller, after } = await withFolders('one')
    const { status, body } = await caller.get(`events/?after=${after + 2}`)
    expect(status).toBe(410)
    expect(body).toMatchObject({
      code: 'events_expired',
      detail: expect.stringContaining(`continue with after=${after + 1}.`),
    })
    expect((await caller.get(`events/?after=${after + 1}`)).status).toBe(200)
  })

  it.each([
    'types=asset',
    'types=asset.*,',
    'types=asset.finished',
    'types=video.*',
    'types=Asset.created',
    'after=-1',
    'after=1.5',
    'limit=0',
    'limit=1001',
    'asset_id=none',
  ])('400: rejects ?%s', async (query) => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.get(`events/?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ errors: [{ field: query.split('=')[0] }] })
  })
})
