import type { assets, subtitles as contract, Page, Problem } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type Caller, Objects, openOwner, openSession, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { lockAsset } from '../../assets/assets.ts'
import { publishGenerated } from '../subtitles.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const bucket = testApi.context.config.STORAGE_MEDIA_BUCKET
const objects = new Objects(stackEnv(), bucket)
afterAll(() => objects[Symbol.dispose]())

let caller: Caller
let asset: string
let list: string
let track: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  asset = (await openSession(caller)).asset.id
  list = `assets/${asset}/subtitles/`
  const added = await caller.post<contract.Subtitle>(list, { language: 'de', content: vtt('Tag') })
  track = `${list}${added.body.id}/`
})

const vtt = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n${text}\n`
const replace = (text: string, headers: Record<string, string> = {}) =>
  caller.put<contract.Subtitle & Problem>(track, { content: vtt(text) }, headers)
const activate = (number: number, headers: Record<string, string> = {}) =>
  caller.post<contract.Subtitle & Problem>(`${track}versions/${number}/activate/`, undefined, headers)
const textOf = async (path = track) => (await caller.send('GET', path)).text
const versions = async () => (await caller.get<Page<contract.SubtitleVersion>>(`${track}versions/`)).body.results
const numbers = async () => (await versions()).map(({ number, is_active }) => (is_active ? `${number}*` : number))
const etagOf = async () => String((await caller.send('GET', track)).headers['etag'])
const stored = () => objects.versions(`${caller.organizationId}/${asset}/subtitles/`)
const urlOf = async () => {
  const { body } = await caller.get<assets.Asset>(`assets/${asset}/`)
  return body.video.tracks.find(({ kind }) => kind === 'subtitles')?.url ?? ''
}
const play = async (url: string) => {
  const { status, text } = await caller.send('GET', url)
  return [status, text]
}

describe('PUT subtitles/<id>/', () => {
  it('200: shows the new text, and keeps the earlier one as a version', async () => {
    const before = (await caller.get<Page<contract.Subtitle>>(list)).body.results[0]
    const { status, body, headers } = await replace('Nacht')
    expect([status, body]).toEqual([200, { ...before, version: 2 }])
    expect(headers['etag']).toBe(await etagOf())
    expect(await textOf()).toBe(vtt('Nacht'))
    expect(await numbers()).toEqual(['2*', 1])
    expect(await textOf(`${track}versions/1/`)).toBe(vtt('Tag'))
    expect(await stored()).toHaveLength(2)
  })

  it('200: accepts SRT', async () => {
    const content = '1\r\n00:00:01,000 --> 00:00:02,500\r\nNacht\r\n'
    expect((await caller.put(track, { content })).status).toBe(200)
    expect(await textOf()).toBe(vtt('Nacht'))
  })

  it('200: changes nothing if the text is the same', async () => {
    const etag = await etagOf()
    const { status, body } = await replace('Tag')
    expect([status, body.version, await etagOf()]).toEqual([200, 1, etag])
    expect(await numbers()).toEqual(['1*'])
  })

  it('200: gives players another URL, and keeps the earlier one for viewers who have it', async () => {
    const first = await urlOf()
    await replace('Nacht')
    const second = await urlOf()
    expect(new URL(second).pathname).not.toBe(new URL(first).pathname)
    expect([await play(first), await play(second)]).toEqual([
      [200, vtt('Tag')],
      [200, vtt('Nacht')],
    ])
  })

  it('200: keeps 20 versions and deletes the texts of the oldest', async () => {
    const first = await urlOf()
    for (let number = 2; number <= 21; number++) await replace(`Text ${number}`)
    expect(await numbers()).toEqual(['21*', ...Array.from({ length: 19 }, (_, index) => 20 - index)])
    expect((await play(first))[0]).toBe(404)
    await activate(2)
    expect([(await numbers()).length, await textOf()]).toEqual([20, vtt('Text 2')])
  })

  it('400: names the invalid lines and changes nothing', async () => {
    const { status, body } = await caller.put<Problem>(track, { content: `${vtt('Tag')}\nlost\n` })
    expect([status, body.code, body.errors[0]?.detail]).toEqual([
      400,
      'invalid_subtitle_text',
      'Line 6: A cue must have a timing such as 00:01:30.000 --> 00:01:32.500.',
    ])
    expect([await numbers(), (await stored()).length]).toEqual([['1*'], 1])
  })

  it('412: refuses the text of an editor that has not seen the latest one', async () => {
    const tag = { 'If-Match': await etagOf() }
    expect((await replace('Nacht', tag)).status).toBe(200)
    const late = await replace('Abend', tag)
    expect([late.status, late.body.code]).toEqual([412, 'changed_meanwhile'])
    expect(await textOf()).toBe(vtt('Nacht'))
    expect(await stored()).toHaveLength(2)
  })

  it('200 and 412: of ten editors who save the same version at once, one succeeds', async () => {
    const tag = { 'If-Match': await etagOf() }
    const saved = await Promise.all(Array.from({ length: 10 }, (_, index) => replace(`Text ${index}`, tag)))
    expect(saved.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
    expect(await textOf()).toBe(vtt(`Text ${saved.findIndex(({ status }) => status === 200)}`))
    expect(await stored()).toHaveLength(2)
  })

  it('200: of ten requests without If-Match at once, each becomes a version', async () => {
    const saved = await Promise.all(Array.from({ length: 10 }, (_, index) => replace(`Text ${index}`)))
    expect(saved.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, index) => index + 2),
    )
  })

  it('404: of a track that does not exist', async () => {
    const { body } = await caller.put<Problem>(`${list}019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/`, { content: vtt('x') })
    expect(body.code).toBe('subtitle_not_found')
  })
})

describe('a generated track', () => {
  const key = () => `${caller.organizationId}/${asset}/speech-transcribe-1-0123456789abcdef/subtitles.vtt`
  beforeEach(async () => {
    await testApi.context.media.put({ key: key(), body: vtt('Hello word'), type: 'text/vtt' })
    await publish()
    track = `${list}${(await generated())?.id}/`
  })
  const publish = () =>
    owner.forOrganization(caller.organizationId as OrganizationId).transaction(async (tx) => {
      await publishGenerated(tx, await lockAsset(tx, asset as AssetId), { language: 'en', key: key() })
    })
  const tracks = async () => (await caller.get<Page<contract.Subtitle>>(list)).body.results
  const generated = async () => (await tracks()).find(({ origin }) => origin === 'generated')

  it('belongs to the client once it was replaced, and keeps the generated text as a version', async () => {
    const { body } = await replace('Hello world')
    expect(body).toMatchObject({ origin: 'uploaded', version: 2, language: 'en' })
    expect((await versions()).map(({ number, origin }) => [number, origin])).toEqual([
      [2, 'uploaded'],
      [1, 'generated'],
    ])
    expect((await activate(1)).body).toMatchObject({ origin: 'uploaded', version: 1 })
    // The text is a copy: the file of the step may be deleted with its attempt.
    await testApi.context.media.deleteAll(key())
    expect(await textOf()).toBe(vtt('Hello word'))
  })

  it('is not replaced by a new transcript once it was edited', async () => {
    await replace('Hello world')
    await publish()
    expect((await tracks()).map(({ origin }) => origin)).toEqual(['uploaded', 'uploaded', 'generated'])
    expect(await textOf()).toBe(vtt('Hello world'))
  })

  it('leaves the generated file to viewers with an older playlist', async () => {
    const { body } = await caller.get<assets.Asset>(`assets/${asset}/`)
    const url = body.video.tracks.find(({ origin }) => origin === 'generated')?.url ?? ''
    await replace('Hello world')
    expect(await play(url)).toEqual([200, vtt('Hello word')])
  })
})

describe('POST versions/<number>/activate/', () => {
  it('200: shows the version again, and the newest stays', async () => {
    await replace('Nacht')
    const { status, body } = await activate(1)
    expect([status, body.version, await textOf()]).toEqual([200, 1, vtt('Tag')])
    expect(await numbers()).toEqual([2, '1*'])
    expect((await replace('Abend')).body.version).toBe(3)
  })

  it('200: changes nothing if the version is shown already', async () => {
    expect((await activate(1)).body.version).toBe(1)
    expect(await numbers()).toEqual(['1*'])
  })

  it('412: refuses if the text has changed', async () => {
    const tag = { 'If-Match': await etagOf() }
    await replace('Nacht')
    expect((await activate(1, tag)).body.code).toBe('changed_meanwhile')
  })

  it('404: of a version that does not exist', async () => {
    expect((await activate(2)).body.code).toBe('version_not_found')
  })
})

describe('DELETE subtitles/<id>/', () => {
  it('204: deletes all versions', async () => {
    const first = await urlOf()
    await replace('Nacht')
    expect((await caller.delete(track)).status).toBe(204)
    expect((await caller.get<Problem>(`${track}versions/`)).body.code).toBe('subtitle_not_found')
    expect((await play(first))[0]).toBe(404)
  })
})
