/** Searches for words of which the newest moments have many, so that they are not searched in the index. */
import type { search as contract, Page } from '@reelkeep/contract'
import { openSession, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

type Results = Page<contract.SearchResult> & { count: number | null; count_is_exact: boolean }

/** More moments than a search reads without the index. */
const MOMENTS = 55_000
const LANTERNS = 80

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open(stackEnv()))
const caller = await testApi.newOrganization()
const newAsset = async (title: string) => (await openSession(caller, { title })).asset.id

/** Adds captions, of which the last ones contain the word "lantern". */
const addTranscript = (asset: string, count: number, lanterns: number) =>
  superuser.query(
    `with texts as (
       select text, moment_words($1, 'en', text) as words from unnest(array['a ship at sea', 'a lantern at sea']) as text),
     track as (
       insert into subtitle_tracks (organization_id, asset_id, id, language, label, origin, storage_key)
       values ($1, $2::uuid, gen_random_uuid(), 'en', 'English', 'uploaded', $2::text) returning id)
     insert into moments (organization_id, asset_id, source, number, kind, start_ms, end_ms, text, language, words)
     select $1, $2::uuid, track.id::text, number, 'transcript', number * 10000, number * 10000 + 9000,
       text, 'en', words
     from track cross join generate_series(1, $3::integer) as number
       join texts on (number > $3::integer - $4::integer) = (text ~ 'lantern')`,
    [caller.organizationId, asset, count, lanterns],
  )

const search = async (query: string) => (await caller.get<Results>(`search/?limit=5&q=${query}`)).body
const titlesOf = ({ results }: Results) => results.map(({ asset }) => asset.title)

await addTranscript(await newAsset('Oldest'), 1, 1)
await addTranscript(await newAsset('Long'), MOMENTS, LANTERNS)
await addTranscript(await newAsset('Short'), 10, 0)
const deleted = await newAsset('Deleted')
await addTranscript(deleted, 10, 0)
await caller.delete(`assets/${deleted}/`)

it('a word that nearly all moments have is found in the newest ones, and not all of them are ranked', async () => {
  const found = await search('sea')
  expect(titlesOf(found).sort()).toEqual(['Long', 'Short'])
  expect(found).toMatchObject({ count: null, count_is_exact: false })
  expect(titlesOf(await search('shi'))).toContain('Short')
})

it('a word that only the newest moments have often is found in all moments', async () => {
  const found = await search('lantern')
  expect(titlesOf(found).sort()).toEqual(['Long', 'Oldest'])
  expect(found).toMatchObject({ count: 2, count_is_exact: true })
})
