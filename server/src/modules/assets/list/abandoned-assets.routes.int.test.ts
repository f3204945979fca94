/** Assets whose upload expired or was cancelled are in a list only if it asks for the status `Cancelled`. */
import { type Caller, openSession, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

type List = { readonly count: number; readonly results: { readonly id: string; readonly title: string }[] }

let caller: Caller
let folder: string
const ids = new Map<string, string>()

async function add(title: string, { status = 'Not Started', isCancelled = false, inFolder = true } = {}) {
  const fields = { title, tags: ['Shared'], ...(inFolder && { folder }) }
  const { asset, upload_session } = await openSession(caller, fields)
  ids.set(title, asset.id)
  if (isCancelled) await caller.delete(`assets/upload-sessions/${upload_session.uuid}/`)
  if (status === 'Not Started') return
  const file = `bytes = 100, source_key = 'k', source_version = 'v', source_etag = 'e'`
  await superuser.query(`update assets set ${file}, status = $2 where id = $1`, [asset.id, status])
}

beforeAll(async () => {
  caller = await testApi.newOrganization()
  folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Talks' })).body.uuid
  await add('Talk, waiting')
  await add('Talk, abandoned', { isCancelled: true })
  await add('Talk, stopped', { status: 'Cancelled' })
  await add('Root, abandoned', { isCancelled: true, inFolder: false })
  await add('Root, complete', { status: 'Completed', inFolder: false })
})

const talks = ['Talk, stopped', 'Talk, waiting']
const all = ['Root, complete', ...talks]
const folderQuery = () => `folder=${folder}`

describe('a list of assets', () => {
  it.each([
    ['', all],
    ['order=title', all],
    ['order=-updated_at', all],
    ['order=bytes', all],
    ['order=duration', all],
    ['FOLDER', talks],
    ['FOLDER&recursive=true', talks],
    ['FOLDER&order=title', talks],
    ['folder=root', ['Root, complete']],
    ['tag=shared', all],
    ['tag=shared&order=title', all],
    ['q=talk', talks],
    ['q=talk&order=-title', talks],
    ['created_after=2020-01-01T00:00:00Z', all],
    ['status=Cancelled', ['Root, abandoned', 'Talk, abandoned', 'Talk, stopped']],
    ['FOLDER&status=Cancelled', ['Talk, abandoned', 'Talk, stopped']],
    ['status=Cancelled&q=talk', ['Talk, abandoned', 'Talk, stopped']],
    ['status=Cancelled&status=Completed', ['Root, abandoned', 'Root, complete', 'Talk, abandoned', 'Talk, stopped']],
    ['status=Completed', ['Root, complete']],
    ['has=error', []],
  ])('with the query "%s" has these assets and their count', async (query, titles) => {
    const { status, body } = await caller.get<List>(`assets/?${query.replace('FOLDER', folderQuery())}`)
    expect(status).toBe(200)
    expect(body.results.map(({ title }) => title).toSorted()).toEqual(titles.toSorted())
    expect(body.count).toBe(titles.length)
  })

  it('has pages without gaps if abandoned assets are between the others', async () => {
    const seen: string[] = []
    for (let path = 'assets/?limit=1'; path; ) {
      const { body } = await caller.get<List & { next: string | null }>(path)
      expect(body.results).toHaveLength(1)
      seen.push(...body.results.map(({ title }) => title))
      path = body.next ?? ''
    }
    expect(seen.toSorted()).toEqual(all.toSorted())
  })

  it('does not hide an abandoned asset from a request for its id', async () => {
    const { status, body } = await caller.get<object>(`assets/${ids.get('Talk, abandoned')}/`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ video: { status: 'Cancelled', error: { code: 'upload_cancelled' } } })
  })
})
