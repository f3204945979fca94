import type { search as contract, Page } from '@reelkeep/contract'
import { administer } from '@reelkeep/server/main/admin.ts'
import { probedAsset, runInProcess, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const index = (organization: string) =>
  runInProcess((io) => administer(['index-search', organization, '--json'], io), stackEnv())

it('index-search makes assets searchable that are older than the search, and skips them when it runs again', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await probedAsset(caller)
  await caller.patch(`assets/${asset.id}/`, { title: 'Gecko', description: 'Lizard', tags: ['Reptile'] })
  await caller.post(`assets/${asset.id}/chapters/`, { chapters: [{ title: 'Tail', start_time: '00:00:00' }] })
  const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nIt climbs\n'
  await caller.post(`assets/${asset.id}/subtitles/`, { language: 'en', content })
  const moments = () =>
    superuser.query<{ kind: string; source: string }>(
      `select source, number, kind, start_ms, end_ms, text, language, words::text from moments
       where organization_id = $1 order by source, number`,
      [caller.organizationId],
    )
  const before = await moments()
  expect(before).toHaveLength(5)
  await superuser.query('delete from moments where organization_id = $1', [caller.organizationId])
  await superuser.query('delete from search_configurations where organization_id = $1', [caller.organizationId])
  expect(JSON.parse((await index(caller.organizationId)).output)).toEqual({
    assets: 1,
    transcripts: 1,
    missing: 0,
    suspended: 0,
  })
  expect(await moments()).toEqual(before)
  expect(JSON.parse((await index(caller.organizationId)).output)).toEqual({
    assets: 0,
    transcripts: 0,
    missing: 0,
    suspended: 0,
  })
  // As after an interruption: only a part of the moments was written.
  for (const source of ['chapter', before.find(({ kind }) => kind === 'transcript')?.source]) {
    const part = 'delete from moments where organization_id = $1 and source = $2'
    await superuser.query(part, [caller.organizationId, source])
    expect(JSON.parse((await index(caller.organizationId)).output)).toMatchObject({ assets: 1 })
  }
  expect(await moments()).toEqual(before)
  const found = (await caller.get<Page<contract.SearchResult>>('search/?q=climbing')).body.results
  expect(found.map(({ asset: { id } }) => id)).toEqual([asset.id])
})

it('index-search waits for a change of chapters that is under way, and does not overwrite it with older ones', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await probedAsset(caller)
  await caller.post(`assets/${asset.id}/chapters/`, { chapters: [{ title: 'Tail', start_time: '00:00:00' }] })
  const remove = `delete from moments where organization_id = $1 and source = 'chapter'`
  await superuser.query(remove, [caller.organizationId])
  await using editor = await Superuser.open()
  const [{ pid } = {}] = await editor.query<{ pid: number }>('select pg_backend_pid() as pid')
  // As a request that changes the title: locks the set, and writes the chapter with its moment.
  await editor.query('begin')
  await editor.query('select from chapter_sets where asset_id = $1 for no key update', [asset.id])
  await editor.query(`update chapters set title = 'Tongue' where asset_id = $1`, [asset.id])
  await editor.query(
    `insert into moments (organization_id, asset_id, source, number, kind, start_ms, text, words)
     select organization_id, asset_id, 'chapter', id, 'chapter', 0, title, moment_words(organization_id, '', title)
     from chapters where asset_id = $1`,
    [asset.id],
  )
  const indexing = index(caller.organizationId)
  const waiting = () => superuser.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [pid])
  await expect.poll(waiting).toHaveLength(1)
  await editor.query('commit')
  expect(JSON.parse((await indexing).output)).toMatchObject({ assets: 1 })
  const texts = `select text from moments where organization_id = $1 and source = 'chapter'`
  expect(await superuser.query(texts, [caller.organizationId])).toEqual([{ text: 'Tongue' }])
})
