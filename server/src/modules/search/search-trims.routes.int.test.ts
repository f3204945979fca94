import type { assets, search as contract, Page } from '@reelkeep/contract'
import { type Caller, processAsset, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Results = Page<contract.SearchResult>

const sentences = {
  en: '00:01.000 --> 00:03.000\nA harbor before',
  de: '00:03.500 --> 00:05.000\nA harbor at the start',
  fr: '00:06.000 --> 00:07.000\nA harbor inside',
  es: '00:09.500 --> 00:11.000\nA harbor at the end',
  it: '00:10.000 --> 00:12.000\nA harbor after',
}

const testApi = await opened(TestApi.open())
let caller: Caller
let asset: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  const uploaded = await uploadAsset(caller, { title: 'Harbor film', content_protection_type: 'disable' })
  asset = uploaded.asset.id
  // 16 seconds at 30 frames per second.
  await processAsset({ organizationId: caller.organizationId, assetId: asset })
  const chapters = [
    { title: 'Harbor at dawn', start_seconds: 0 },
    { title: 'Harbor at noon', start_seconds: 4 },
    { title: 'Harbor at dusk', start_seconds: 8 },
    { title: 'Harbor at night', start_seconds: 12 },
  ]
  await caller.post(`assets/${asset}/chapters/`, { chapters })
  // A track for each, because neighboring cues are one moment.
  for (const [language, content] of Object.entries(sentences)) {
    await caller.post(`assets/${asset}/subtitles/`, { language, content: `WEBVTT\n\n${content}` })
  }
})

type Shown = readonly [text: string, start: number, end: number | null]
const shown = ({ text, start_seconds, end_seconds }: contract.Moment): Shown => [text, start_seconds, end_seconds]
const byTime = (one: Shown, other: Shown) => one[1] - other[1] || one[0].localeCompare(other[0])

async function found(id = asset): Promise<Shown[]> {
  const { body } = await caller.get<Results>('search/?q=harbor&in=chapters,transcript')
  const moments = body.results.find((result) => result.asset.id === id)?.moments ?? []
  return moments.map(shown).toSorted(byTime)
}

async function foundInAsset(id = asset): Promise<Shown[]> {
  const { body } = await caller.get<Page<contract.Moment>>(`assets/${id}/search/?q=harbor&in=chapters,transcript`)
  return body.results.map(shown).toSorted(byTime)
}

const trim = (start_seconds: number, end_seconds: number) =>
  caller.put<assets.Asset>(`assets/${asset}/trim/`, { start_seconds, end_seconds })

/** From 4.5 to 10 seconds. The chapter that is under way starts with the part. */
const part: Shown[] = [
  ['A harbor at the start', 0, 0.5],
  ['Harbor at noon', 0, 3.5],
  ['A harbor inside', 1.5, 2.5],
  ['Harbor at dusk', 3.5, 5.5],
  ['A harbor at the end', 5, 5.5],
]

describe('search in trimmed assets', () => {
  it('finds moments with the times of the part that is shown, and none outside of it', async () => {
    expect((await trim(4.5, 10)).status).toBe(200)
    expect(await found()).toEqual(part)
    expect(await foundInAsset()).toEqual(part)
    const { body } = await caller.get<Results>('search/?q=inside')
    expect(body.results[0]?.moments[0]?.link).toMatch(/#t=1\.5$/)
  })

  it('finds the title, which has no time, and everything again after the trim is deleted', async () => {
    const before = await foundInAsset()
    expect(before).toHaveLength(9)
    await trim(13, 14)
    const { body } = await caller.get<Results>('search/?q=film')
    expect(body.results[0]?.moments.map(shown)).toEqual([['Harbor film', 0, null]])
    expect(await foundInAsset()).toEqual([['Harbor at night', 0, 1]])
    await caller.delete(`assets/${asset}/trim/`)
    expect(await foundInAsset()).toEqual(before)
  })

  it('finds a chapter that was changed while the video was trimmed', async () => {
    await trim(13, 14)
    const chapters = [{ title: 'Harbor by night', start_seconds: 12 }]
    await caller.put(`assets/${asset}/chapters/`, { chapters })
    expect(await foundInAsset()).toEqual([['Harbor by night', 0, 1]])
    await caller.delete(`assets/${asset}/trim/`)
    expect(await foundInAsset()).toContainEqual(['Harbor by night', 12, 16])
  })

  it('finds moments of a trimmed clip, whose texts have the times of the clip', async () => {
    const { body: clip } = await caller.post<assets.Asset>(`assets/${asset}/clips/`, {
      start_seconds: 3,
      end_seconds: 10,
    })
    await caller.put(`assets/${clip.id}/trim/`, { start_seconds: 1.5, end_seconds: 7 })
    expect(await foundInAsset(clip.id)).toEqual(part)
  })
})
