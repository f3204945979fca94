import type { search as contract, Page } from '@reelkeep/contract'
import { administer } from '@reelkeep/server/main/admin.ts'
import { probedAsset, runInProcess, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

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
  const index = () =>
    runInProcess((io) => administer(['index-search', caller.organizationId, '--json'], io), stackEnv())
  await superuser.query('delete from moments where organization_id = $1', [caller.organizationId])
  await superuser.query('delete from search_configurations where organization_id = $1', [caller.organizationId])
  expect(JSON.parse((await index()).output)).toEqual({ assets: 1, transcripts: 1, missing: 0, suspended: 0 })
  expect(await moments()).toEqual(before)
  expect(JSON.parse((await index()).output)).toEqual({ assets: 0, transcripts: 0, missing: 0, suspended: 0 })
  // As after an interruption: only a part of the moments was written.
  for (const source of ['chapter', before.find(({ kind }) => kind === 'transcript')?.source]) {
    const part = 'delete from moments where organization_id = $1 and source = $2'
    await superuser.query(part, [caller.organizationId, source])
    expect(JSON.parse((await index()).output)).toMatchObject({ assets: 1 })
  }
  expect(await moments()).toEqual(before)
  const found = (await caller.get<Page<contract.SearchResult>>('search/?q=climbing')).body.results
  expect(found.map(({ asset: { id } }) => id)).toEqual([asset.id])
})
