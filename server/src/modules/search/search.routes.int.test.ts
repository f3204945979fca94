import type { search as contract, Page, Problem, subtitles, tokens } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type Caller, openOwner, openSession, probedAsset, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it } from 'vitest'
import { lockAsset } from '../assets/assets.ts'
import { indexTranscript, publishGenerated, showProduced } from '../subtitles/subtitles.ts'

type Results = Page<contract.SearchResult> & { count: number | null; count_is_exact: boolean }

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
let caller: Caller
beforeAll(async () => {
  caller = await testApi.newOrganization()
})

const search = async (query: string, by: Caller = caller) =>
  (await by.get<Results>(`search/?q=${encodeURIComponent(query)}`)).body
const titles = async (query: string, more = '', by: Caller = caller) =>
  (await by.get<Results>(`search/?q=${encodeURIComponent(query)}${more}`)).body.results.map(({ asset }) => asset.title)
const marked = ({ text, highlights }: contract.Moment) => highlights.map(({ start, end }) => text.slice(start, end))
const newAsset = async (more: object) => (await openSession(caller, more)).asset.id
const vtt = (...cues: readonly (readonly [string, string, string])[]) =>
  `WEBVTT\n${cues.map(([start, end, text]) => `\n00:${start}.000 --> 00:${end}.000\n${text}\n`).join('')}`
const clock = (seconds: number) => `00:${String(seconds).padStart(2, '0')}`
const addTrack = async (asset: string, language: string, content: string) =>
  (await caller.post<subtitles.Subtitle>(`assets/${asset}/subtitles/`, { language, content })).body.id

describe('GET search/', () => {
  it('200: finds words in titles, descriptions, tags, chapters and subtitles with their time', async () => {
    const { asset } = await probedAsset(caller)
    const path = `assets/${asset.id}/`
    await caller.patch(path, { title: 'Chlorophyll', description: 'Chlorophyll at work', tags: ['chlorophyll'] })
    const chapters = [
      { title: 'Start', start_time: '00:00:00' },
      { title: 'Why chlorophyll is green', start_seconds: 1.5 },
    ]
    expect((await caller.post(`${path}chapters/`, { chapters })).status).toBe(201)
    const track = await addTrack(asset.id, 'en', vtt(['00:01', '00:03', 'The <i>chlorophyll</i> &amp; I']))
    const { results, count, count_is_exact } = await search('chlorophyll')
    expect([count, count_is_exact, results.length]).toEqual([1, true, 1])
    const moments = results[0]?.moments ?? []
    expect(moments.map(({ kind, start_seconds, text }) => [kind, start_seconds, text])).toEqual(
      expect.arrayContaining([
        ['title', 0, 'Chlorophyll'],
        ['description', 0, 'Chlorophyll at work'],
        ['tag', 0, 'chlorophyll'],
        ['chapter', 1.5, 'Why chlorophyll is green'],
        ['transcript', 1, 'The chlorophyll & I'],
      ]),
    )
    expect(moments[0]?.kind).toBe('title')
    const said = moments.find(({ kind }) => kind === 'transcript')
    expect(said).toMatchObject({ end_seconds: 3, language: 'en', subtitle_id: track })
    expect(said && marked(said)).toEqual(['chlorophyll'])
    expect(said?.link).toMatch(new RegExp(`/embed/${caller.organizationId}/${asset.id}/\\?token=.+#t=1$`))
    expect(results[0]?.score).toBeCloseTo(
      moments.reduce((sum, { score }) => sum + score, 0),
      4,
    )
  })

  it('200: returns the second of the caption that has the words, once, and not that of the passage', async () => {
    const asset = await newAsset({ title: 'A lecture' })
    const said = ['Alpha beta', 'gamma stroganoff', 'delta epsilon', 'zeta eta', 'theta iota', 'kappa stroganoff']
    const cues = said.map((text, index) => [clock(index * 6), clock(index * 6 + 5), text] as const)
    await addTrack(asset, 'en', vtt(...cues))
    const { results } = await search('stroganoff')
    expect(results[0]?.moments.map(({ start_seconds }) => start_seconds)).toEqual([6, 30])
    expect(results[0]?.moments.map(({ link }) => link.split('#')[1])).toEqual(['t=6', 't=30'])
    const { body } = await caller.get<Page<contract.Moment>>(`assets/${asset}/search/?q=gamma+stroganoff`)
    expect(body.results.map(({ start_seconds }) => start_seconds)).toEqual([6])
  })

  it('200: finds stems in the language of the subtitles, and words without accents and case', async () => {
    const asset = await newAsset({ title: 'Languages' })
    await addTrack(asset, 'de', vtt(['00:01', '00:03', 'Die Häuser stehen in der Straße']))
    await addTrack(asset, 'fr', vtt(['00:01', '00:03', 'Les élèves mangeaient']))
    await addTrack(asset, 'ja', vtt(['00:01', '00:03', '東京へ行きます']))
    for (const [query, words] of [
      ['haus', ['Häuser']],
      ['häuser', ['Häuser']],
      ['HAUSER strasse', ['Häuser', 'Straße']],
      ['eleve', ['élèves']],
      ['mangeait', ['mangeaient']],
      ['東京', ['東京']],
    ] as const) {
      const found = (await search(query)).results.flatMap(({ moments }) => moments.flatMap(marked))
      expect([query, found]).toEqual([query, words])
    }
  })

  it('200: finds the beginning of the last word only, and all words in one moment', async () => {
    await newAsset({ title: 'Quantum mechanics lecture' })
    expect(await titles('quantum mech')).toEqual(['Quantum mechanics lecture'])
    expect(await titles('quant mechanics')).toEqual([])
    expect(await titles('quantum biology')).toEqual([])
    expect(marked((await search('mech')).results[0]?.moments[0] as contract.Moment)).toEqual(['mechanics'])
  })

  it('200: searches only the texts, folders and tags that the query names', async () => {
    const folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Outer' })).body.uuid
    const inner = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Inner', parent: folder })).body.uuid
    const asset = await newAsset({ title: 'Zebra one', folder, tags: ['Animals', 'Africa'] })
    await newAsset({ title: 'Zebra two', folder: inner, tags: ['animals'] })
    await newAsset({ title: 'Zebra three' })
    await addTrack(asset, 'en', vtt(['00:01', '00:03', 'A quagga is a zebra']))
    const sorted = async (more: string) => (await titles('zebra', more)).sort()
    expect(await sorted('')).toEqual(['Zebra one', 'Zebra three', 'Zebra two'])
    expect(await sorted(`&folder=${folder}`)).toEqual(['Zebra one'])
    expect(await sorted(`&folder=${folder}&recursive=true`)).toEqual(['Zebra one', 'Zebra two'])
    expect(await sorted('&folder=root')).toEqual(['Zebra three'])
    expect(await sorted('&tag=ANIMALS')).toEqual(['Zebra one', 'Zebra two'])
    expect(await sorted('&tag=animals&tag=africa')).toEqual(['Zebra one'])
    expect(await sorted('&in=transcript')).toEqual(['Zebra one'])
    expect(await titles('quagga', '&in=titles,chapters')).toEqual([])
  })

  it('200: pages through the results without repeating one', async () => {
    for (let number = 0; number < 5; number++) await newAsset({ title: `Pageable ${number}` })
    const seen: string[] = []
    let path: string | null = 'search/?q=pageable&limit=2'
    while (path) {
      const { body }: { body: Results } = await caller.get<Results>(path)
      expect(body.count).toBe(5)
      seen.push(...body.results.map(({ asset }) => asset.title))
      path = body.next?.slice(body.next.indexOf('search/')) ?? null
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4].map((number) => `Pageable ${number}`))
  })

  it('200: returns at most five moments of an asset, best first', async () => {
    const asset = await newAsset({ title: 'Long talk' })
    const cues = Array.from({ length: 12 }, (_, index) => {
      const start = `${String(index * 4).padStart(2, '0')}:00`
      return [start, start.replace(':00', ':11'), index === 7 ? 'walrus walrus walrus' : 'walrus'] as const
    })
    await addTrack(asset, 'en', vtt(...cues))
    const { results } = await search('walrus')
    expect(results[0]?.moments).toHaveLength(5)
    expect(results[0]?.moments[0]?.start_seconds).toBe(7 * 240)
    const { body } = await caller.get<Page<contract.Moment>>(`assets/${asset}/search/?q=walrus&limit=10`)
    expect([body.count, body.results.length]).toEqual([12, 10])
    expect(body.results.map(({ start_seconds }) => start_seconds)).toEqual(
      Array.from({ length: 10 }, (_, index) => index * 240),
    )
  })

  it('200: treats operators and quotes as text', async () => {
    await newAsset({ title: `O'Neil & "quotes" <b>` })
    for (const query of [`O'Neil`, 'neil & quotes', `"quotes"`, `neil | nothing`, `!neil`, `neil:*`, 'neil\\', '<b>']) {
      const { status } = await caller.get(`search/?q=${encodeURIComponent(query)}`)
      expect([query, status]).toEqual([query, 200])
    }
    expect(await titles(`o'neil & quotes`)).toEqual([`O'Neil & "quotes" <b>`])
    expect((await search(' & ')).results).toEqual([])
  })

  it('200: a principal that is limited to a folder finds nothing outside', async () => {
    const folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Limit' })).body.uuid
    const inside = await newAsset({ title: 'Narwhal inside', folder })
    const outside = await newAsset({ title: 'Narwhal outside' })
    for (const asset of [inside, outside]) await addTrack(asset, 'en', vtt(['00:01', '00:03', 'A narwhal']))
    const token = { name: 'x', scopes: ['assets:read'], folder_uuid: folder }
    const limited = caller.withToken((await caller.post<tokens.NewToken>('tokens/', token)).body.token)
    expect(await titles('narwhal', '', limited)).toEqual(['Narwhal inside'])
    expect((await limited.get<Problem>(`assets/${outside}/search/?q=narwhal`)).body.code).toBe('asset_not_found')
    expect(await titles('narwhal', '', await testApi.newOrganization())).toEqual([])
  })

  it('400: refuses a text that is empty or too long, and an unknown mode', async () => {
    for (const query of ['', '?q=', `?q=${'a'.repeat(201)}`, '?q=x&in=pictures', '?q=x&mode=other']) {
      expect((await caller.get<Problem>(`search/${query}`)).status).toBe(400)
    }
  })
})

describe('a change is found at once', () => {
  it('of titles, chapters and the trash', async () => {
    const { asset } = await probedAsset(caller)
    const path = `assets/${asset.id}/`
    await caller.patch(path, { title: 'Okapi' })
    expect(await titles('okapi')).toEqual(['Okapi'])
    await caller.patch(path, { title: 'Tapir', tags: ['okapi'] })
    expect((await search('okapi')).results[0]?.moments.map(({ kind }) => kind)).toEqual(['tag'])
    await caller.patch(path, { tags: [] })
    expect(await titles('okapi')).toEqual([])
    const added = await caller.post<Page<{ id: number }>>(`${path}chapters/`, {
      chapters: [{ title: 'Okapi', start_time: '00:00:00' }],
    })
    expect(await titles('okapi')).toEqual(['Tapir'])
    await caller.delete(path)
    expect(await titles('okapi')).toEqual([])
    await caller.post(`${path}restore/`, {})
    expect(await titles('okapi')).toEqual(['Tapir'])
    await caller.delete(`${path}chapters/${added.body.results[0]?.id}/`)
    expect(await titles('okapi')).toEqual([])
    await caller.delete(`${path}?permanently=true`)
    expect(await titles('tapir')).toEqual([])
  })

  it('of the text of a subtitle track and its versions', async () => {
    const asset = await newAsset({ title: 'Versions' })
    const track = `assets/${asset}/subtitles/${await addTrack(asset, 'en', vtt(['00:01', '00:03', 'aardvark']))}/`
    expect(await titles('aardvark')).toEqual(['Versions'])
    await caller.put(track, { content: vtt(['00:01', '00:03', 'pangolin']) })
    expect([await titles('aardvark'), await titles('pangolin')]).toEqual([[], ['Versions']])
    await caller.post(`${track}versions/1/activate/`, undefined)
    expect([await titles('aardvark'), await titles('pangolin')]).toEqual([['Versions'], []])
    await caller.delete(track)
    expect(await titles('aardvark')).toEqual([])
  })

  it('of a generated track, and of the track of another version of the file', async () => {
    const asset = (await newAsset({ title: 'Generated' })) as AssetId
    const db = owner.forOrganization(caller.organizationId as OrganizationId)
    const moments = [{ startMs: 0, endMs: 1000, text: 'capybara', cues: [{ offset: 0, startMs: 0 }] }]
    await db.transaction(async (tx) =>
      publishGenerated(tx, await lockAsset(tx, asset), { language: 'en', key: 'a/1.vtt', moments }),
    )
    expect(await titles('capybara')).toEqual(['Generated'])
    const { media } = testApi.context
    const key = `${caller.organizationId}/${asset}/x-1/subtitles.vtt`
    await media.put({ key, body: vtt(['00:01', '00:03', 'meerkat']), type: 'text/vtt' })
    const shown = [{ language: 'en', key, origin: 'generated' as const }]
    await db.transaction(async (tx) => showProduced(tx, await lockAsset(tx, asset), shown))
    expect(await titles('capybara')).toEqual([])
    const list = await caller.get<Page<subtitles.Subtitle>>(`assets/${asset}/subtitles/`)
    const subtitleId = list.body.results[0]?.id as Parameters<typeof indexTranscript>[2]['subtitleId']
    // The job that a worker runs.
    expect(await indexTranscript(media, db, { assetId: asset, subtitleId })).toBe(true)
    expect(await titles('meerkat')).toEqual(['Generated'])
  })
})
