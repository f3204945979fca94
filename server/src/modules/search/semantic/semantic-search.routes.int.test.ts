/** Search by meaning, with a real model. */
import type { search as contract, Page, Problem } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { embeddingsServerFor } from '@reelkeep/server/platform/models/embeddings-server.ts'
import {
  type Caller,
  EmbeddingsModel,
  openDatabase,
  openSession,
  probedAsset,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { embeddingSchedules, queueAllAssets } from './embedding-jobs.ts'

type Results = Page<contract.SearchResult> & { count: number | null }

const model = await opened(EmbeddingsModel.start())
const settings = { EMBEDDINGS_URL: model.baseUrl, EMBEDDINGS_MODEL: 'universal-sentence-encoder' }
/** A database without the assets of other tests. */
const env = withDatabase(stackEnv(), 'embeddings')
await resetDatabase(env)
const testApi = await opened(TestApi.open(settings, env))
const withoutServer = await opened(TestApi.open({}, env))
const database = await opened(Promise.resolve(openDatabase(env.DATABASE_WORKER_URL ?? '')))

const failures: unknown[] = []
const logger = { warn: (_: object, text: string) => void failures.push(text) }

/** Runs the worker's schedule once. */
async function embed(by: typeof settings = settings): Promise<void> {
  const [schedule] = embeddingSchedules(database, embeddingsServerFor(by))
  await schedule?.run({ signal: new AbortController().signal, logger: logger as never })
}

let caller: Caller
const ids = new Map<string, string>()

const texts = {
  Garden: 'Water the tomato plants in the morning and pull out the weeds.',
  Finance: 'Interest rates rise when the central bank fights inflation.',
  Space: 'The rocket leaves the atmosphere and the capsule reaches its orbit.',
  Cooking: 'Fry the onions in butter before you add the rice and the stock.',
}

beforeAll(async () => {
  caller = await testApi.newOrganization()
  for (const [title, said] of Object.entries(texts)) {
    const { asset } = await openSession(caller, { title })
    ids.set(title, asset.id)
    const content = `WEBVTT\n\n00:05.000 --> 00:12.000\n${said}\n`
    await caller.post(`assets/${asset.id}/subtitles/`, { language: 'en', content })
  }
  await embed()
})
afterEach(() => model.failWith(undefined))

const search = (query: string, by: Caller = caller) => by.get<Results>(`search/?${query}`)
const best = ({ body }: { body: Results }) => body.results[0]?.asset.title

describe('GET search/?mode=semantic', () => {
  it.each([
    ['growing vegetables', 'Garden'],
    ['monetary policy', 'Finance'],
    ['astronauts travel to the moon', 'Space'],
    ['preparing a meal', 'Cooking'],
  ])('200: finds %s without a common word', async (text, title) => {
    const response = await search(`mode=semantic&in=transcript&q=${encodeURIComponent(text)}`)
    expect(best(response)).toBe(title)
    expect(response.body.results[0]?.moments[0]).toMatchObject({ kind: 'transcript', start_seconds: 5, highlights: [] })
    expect(response.body.count).toBeNull()
    expect((await search(`mode=lexical&q=${encodeURIComponent(text)}`)).body.results).toEqual([])
  })

  it('200: returns the second at which the sentence begins', async () => {
    const { asset } = await openSession(caller, { title: 'A day' })
    const content = `WEBVTT

00:00.000 --> 00:04.000
In the morning we repaired the roof

00:04.000 --> 00:07.000
of the old barn.

00:07.000 --> 00:11.000
Then a violinist and a pianist

00:11.000 --> 00:14.000
performed a sonata for us.
`
    await caller.post(`assets/${asset.id}/subtitles/`, { language: 'en', content })
    await embed()
    const startOf = async (text: string) =>
      (await search(`mode=semantic&in=transcript&q=${encodeURIComponent(text)}`)).body.results[0]?.moments[0]
        ?.start_seconds
    expect(await startOf('concert of classical musicians')).toBe(7)
    expect(await startOf('building a house')).toBe(0)
  })

  it('200: looks only in the texts and folders that the query names', async () => {
    const titles = await search('mode=semantic&in=titles&q=growing+vegetables')
    expect(titles.body.results.flatMap(({ moments }) => moments.map(({ kind }) => kind))).not.toContain('transcript')
    const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Only finance' })
    await caller.post(`assets/${ids.get('Finance')}/move/`, { folder: folder.uuid })
    const inFolder = await search(`mode=semantic&folder=${folder.uuid}&q=growing+vegetables`)
    expect(inFolder.body.results.map(({ asset }) => asset.title)).toEqual(['Finance'])
  })

  it('200: finds nothing outside of the folder of a limited token, nor of another organization', async () => {
    const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Limited' })
    const { body } = await caller.post<{ token: string }>('tokens/', {
      ...{ name: 'limited', scopes: ['assets:read'], folder_uuid: folder.uuid },
    })
    const limited = caller.withToken(body.token)
    expect((await search('mode=semantic&q=growing+vegetables', limited)).body.results).toEqual([])
    await caller.post(`assets/${ids.get('Space')}/move/`, { folder: folder.uuid })
    expect(best(await search('mode=semantic&q=growing+vegetables', limited))).toBe('Space')
    const stranger = await testApi.newOrganization()
    expect((await search('mode=semantic&q=growing+vegetables', stranger)).body.results).toEqual([])
  })

  it('200: does not find what is in the trash, and finds a changed text by its new meaning', async () => {
    const { asset } = await openSession(caller, { title: 'Dogs and cats are pets' })
    await embed()
    expect(best(await search('mode=semantic&q=animals+at+home'))).toBe('Dogs and cats are pets')
    await caller.patch(`assets/${asset.id}/`, { title: 'Violins and cellos of an orchestra' })
    await embed()
    expect(best(await search('mode=semantic&q=string+instruments'))).toBe('Violins and cellos of an orchestra')
    await caller.delete(`assets/${asset.id}/`)
    expect(best(await search('mode=semantic&q=string+instruments'))).not.toBe('Violins and cellos of an orchestra')
  })

  it('409, 503: says that there is no server, or that it does not respond', async () => {
    const other = await withoutServer.newOrganization()
    const missing = await other.get<Problem>('search/?mode=semantic&q=a')
    expect([missing.status, missing.body.code]).toEqual([409, 'search_mode_not_available'])
    await model.failWith(500)
    const failed = await caller.get<Problem>('search/?mode=semantic&q=not+cached')
    expect([failed.status, failed.body.code, failed.headers['retry-after']]).toEqual([503, 'unavailable', '5'])
  })
})

describe('GET search/ without a mode', () => {
  it('200: combines words and meaning', async () => {
    const { body } = await search('q=rice+dishes+in+a+pan')
    expect(body.results[0]?.asset.title).toBe('Cooking')
    const words = await search('q=inflation')
    expect(best(words)).toBe('Finance')
    expect(words.body.results[0]?.moments[0]?.highlights).toHaveLength(1)
  })

  it('200: finds words while the embeddings server does not respond', async () => {
    await model.failWith(500)
    expect(best(await search('q=capsule'))).toBe('Space')
  })

  it('200: pages through the results without repeating one', async () => {
    const seen: string[] = []
    let path: string | null = 'search/?q=water&limit=1'
    for (let page = 0; path && page < 10; page++) {
      const { body }: { body: Results } = await caller.get<Results>(path)
      seen.push(...body.results.map(({ asset }) => asset.id))
      path = body.next?.slice(body.next.indexOf('search/')) ?? null
    }
    expect(seen.length).toBeGreaterThanOrEqual(4)
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('the worker', () => {
  it('keeps an asset in the queue while the server fails, and embeds it afterwards', async () => {
    await openSession(caller, { title: 'Glaciers and snowfields' })
    await model.failWith(503)
    await expect(embed()).rejects.toThrow('responded with 503')
    await model.failWith(undefined)
    await embed()
    expect(best(await search('mode=semantic&q=frozen+water+on+mountains'))).toBe('Glaciers and snowfields')
  })

  it('leaves out an asset whose text the server refuses, embeds the others, and retries when the text changes', async () => {
    const { asset } = await openSession(caller, { title: 'Bicycle' })
    await model.failWith(400)
    await embed()
    expect(failures).toEqual(['cannot embed the texts of an asset'])
    await model.failWith(undefined)
    await openSession(caller, { title: 'Swimming in the sea' })
    await embed()
    expect(best(await search('mode=semantic&q=two+wheels+and+pedals'))).not.toBe('Bicycle')
    expect(best(await search('mode=semantic&q=bathing+in+the+ocean'))).toBe('Swimming in the sea')
    await caller.patch(`assets/${asset.id}/`, { title: 'Bicycles' })
    await embed()
    expect(best(await search('mode=semantic&q=two+wheels+and+pedals'))).toBe('Bicycles')
  })

  it('takes an asset off the queue whose description is only spaces', async () => {
    const { asset } = await openSession(caller, { title: 'Blank' })
    expect((await caller.patch(`assets/${asset.id}/`, { description: ' \n ' })).status).toBe(200)
    await embed()
    const superuser = await Superuser.open(env)
    onTestFinished(() => superuser[Symbol.asyncDispose]())
    expect(await superuser.query('select from assets_to_embed where asset_id = $1', [asset.id])).toEqual([])
  })

  it('finds a chapter at its time after it was moved', async () => {
    const { asset } = await probedAsset(caller, {}, env)
    const chapters = [{ title: 'The history of trains', start_seconds: 1 }]
    expect((await caller.put(`assets/${asset.id}/chapters/`, { chapters })).status).toBe(200)
    await embed()
    const start = async () =>
      (await search('mode=semantic&in=chapters&q=railway+and+locomotives')).body.results[0]?.moments[0]?.start_seconds
    expect(await start()).toBe(1)
    const { body } = await caller.get<Page<{ id: number }>>(`assets/${asset.id}/chapters/`)
    const path = `assets/${asset.id}/chapters/${body.results[0]?.id}/`
    expect((await caller.patch(path, { start_seconds: 2 })).status).toBe(200)
    expect(await start()).toBe(2)
  })

  it('replaces the vectors of another model after `queueAllAssets`', async () => {
    const other = { ...settings, EMBEDDINGS_MODEL: 'universal-sentence-encoder-2' }
    const db = database.forOrganization(caller.organizationId as OrganizationId)
    expect(await queueAllAssets(db)).toBeGreaterThanOrEqual(ids.size)
    await embed(other)
    expect((await search('mode=semantic&q=growing+vegetables')).body.results).toEqual([])
    await queueAllAssets(db)
    await embed()
    expect(best(await search('mode=semantic&in=transcript&q=growing+vegetables'))).toBe('Garden')
  })
})
