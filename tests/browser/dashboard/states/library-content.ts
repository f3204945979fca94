/** The library that is in the screenshots: folders, processed videos, a failed one, and a trash. */
import { addLibrary, type LibraryFixture } from '../library-data.ts'
import { oncePerFixture } from './state.ts'

const description =
  'Filmed in the first week of November from the hill above the harbor. The sky was clear from nine in the evening ' +
  'until two in the morning.'

export const prepareLibrary = oncePerFixture(async (fixture) => {
  const { caller, client } = fixture
  await caller.patch('organization/', { name: 'Northlight Studio' })
  const videos = await addLibrary(fixture)
  const idOf = (title: string) => {
    const id = videos.get(title)
    if (id === undefined) throw new Error(`The library has no video "${title}".`)
    return id
  }
  const { body } = await caller.get<{ results: { uuid: string; title: string }[] }>('assets/folders/?q=Concerts')
  const folder = body.results[0]?.uuid ?? ''
  const { uuid: emptyFolder } = await client.folders.create({
    title: 'Symposium on documentary film, all recordings from 2019 to 2026',
  })
  const addVideo = async (title: string) =>
    (await client.uploadSessions.create({ title, resolutions: ['360p'], tags: ['course', 'b-roll'], folder })).asset.id
  const waiting = await addVideo('Encore, camera B')
  for (const title of ['Rough cut', 'Camera test']) await client.assets.delete(await addVideo(title))
  const { uuid: drafts } = await client.folders.create({ title: 'Old drafts' })
  await caller.delete(`assets/folders/${drafts}/?recursive=true`)
  await describeVideo(fixture, idOf('Aurora over Tromsø'))
  return { folder, emptyFolder, waiting, idOf }
})

async function describeVideo({ client }: LibraryFixture, id: string): Promise<void> {
  const metadata = { location: 'Tromsø', camera: 'A7S III', season: '2026/27' }
  await client.assets.update(id, { description, metadata, external_id: 'northern-lights-04' })
  const titles = ['Dusk', 'First light', 'The corona, and why it is green', 'Dawn']
  const chapters = titles.map((title, index) => ({ title, start_time: `0:00:0${index * 2}` }))
  await client.chapters.add(id, { chapters })
  const content = 'WEBVTT\n\n00:00.000 --> 00:04.000\nThe first light appears at nine.\n'
  for (const [language, label] of [
    ['en', 'English'],
    ['nb', 'Norsk'],
  ] as const)
    await client.subtitles.add(id, { language, label, content })
  await client.accessTokens.create(id, { viewer_id: 'Press team', expires_in_seconds: 7 * 86_400 })
  await client.accessTokens.create(id, { expires_in_seconds: 86_400, single_use: true })
}

export type Library = Awaited<ReturnType<typeof prepareLibrary>>
