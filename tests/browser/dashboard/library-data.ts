/** The dashboard with a worker and storage of its own, and a small library of processed videos. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setUpUploads, stackEnv, WorkerProcess } from '@reelkeep/testkit'
import { Reelkeep } from 'reelkeep'
import { openDashboardFixture } from './dashboard-fixture.ts'

const run = promisify(execFile)

/** `database` is a name that no other test uses. */
export async function openLibraryFixture(database: string) {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-library-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const id = randomUUID()
  const buckets = { STORAGE_UPLOADS_BUCKET: `uploads-${id}`, STORAGE_MEDIA_BUCKET: `media-${id}` }
  const fixture = opening.use(
    await openDashboardFixture(database, async (origin) => {
      await setUpUploads(stackEnv(), { ...buckets, UPLOAD_ORIGINS: origin })
      return buckets
    }),
  )
  const { env, origin, organizationId, token, settings } = fixture
  const worker = opening.use(await WorkerProcess.start({ settings, env }))
  const client = new Reelkeep({ url: origin, organization: organizationId, token })
  const open = opening.move()
  return { ...fixture, folder, client, worker, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

export type LibraryFixture = Awaited<ReturnType<typeof openLibraryFixture>>

type Film = {
  readonly title: string
  readonly folder?: string
  readonly tags?: readonly string[]
  readonly colors: readonly string[]
}

const films: readonly Film[] = [
  { title: 'Aurora over Tromsø', colors: ['0b1030', '2dd4a7', '123a6b', '7a5cff'], tags: ['nature', 'b-roll'] },
  { title: 'Zürich by night', folder: 'Zürich 2026', colors: ['0a0f24', '1d3b5a', '3d8a8f', 'e0b36a'] },
  { title: 'Open air, main stage', folder: 'Concerts', colors: ['2a0d2e', 'b3365f', 'f0884a', '3a1450'] },
  { title: 'Tonhalle rehearsal, part 2', folder: 'Concerts', colors: ['1b1410', '7a4a26', 'd8a45c', '2d1d16'] },
  { title: 'Onboarding, part 1', folder: 'Talks', tags: ['course'], colors: ['0d2b45', '1f6f8b', '99d5c9', '0f3d5c'] },
  { title: 'Onboarding, part 2', folder: 'Talks', tags: ['course'], colors: ['2b1055', '7597de', 'd2ddf5', '40307a'] },
  { title: 'Brand film, rough cut', folder: 'Marketing', colors: ['101820', '8a2b3a', 'f2aa4c', '33202a'] },
  { title: 'Interview with Amara Diallo', folder: 'Marketing', colors: ['20303a', '53707c', 'c9b79c', '2c3e46'] },
]

const FILM_SECONDS = 8

/**
 * Folders, processed videos in them, and a file that is not a video. Returns the ids of assets by their titles. Each
 * video takes a few seconds; with `count`, only the first ones are added.
 */
export async function addLibrary(
  { client, folder }: LibraryFixture,
  count = films.length,
): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>()
  for (const title of ['Concerts', 'Marketing', 'Talks'])
    folders.set(title, (await client.folders.create({ title })).uuid)
  const parent = folders.get('Concerts') ?? null
  folders.set('Zürich 2026', (await client.folders.create({ title: 'Zürich 2026', parent })).uuid)
  const ids = new Map<string, string>()
  for (const [index, film] of films.slice(0, count).entries()) {
    const path = await makeFilm(folder, index, film.colors)
    const asset = await client.uploads.send(path, {
      title: film.title,
      resolutions: ['240p', '360p'],
      folder: (film.folder && folders.get(film.folder)) || null,
      tags: [...(film.tags ?? [])],
    })
    ids.set(film.title, asset.id)
  }
  const corrupt = join(folder, 'corrupt.mp4')
  await writeFile(corrupt, 'not a video')
  ids.set(
    'Corrupt capture',
    (await client.uploads.send(corrupt, { title: 'Corrupt capture', resolutions: ['240p'] })).id,
  )
  await Promise.all([...ids.values()].map((id) => client.assets.waitUntilCompleted(id).catch(() => undefined)))
  return ids
}

/** Generates a short film in the colors of a landscape. The frames are rendered small, because rendering is slow. */
async function makeFilm(folder: string, index: number, colors: readonly string[]): Promise<string> {
  const path = join(folder, `film-${index}.mp4`)
  const palette = colors.map((color, number) => `c${number}=0x${color}`).join(':')
  const scene = `gradients=size=160x90:rate=25:duration=${FILM_SECONDS}:speed=0.02:nb_colors=${colors.length}:${palette}:seed=${index + 7}`
  const video = `${scene},scale=640:360:flags=bicubic,gblur=sigma=6`
  const audio = `sine=frequency=${220 + 30 * index}:sample_rate=48000:duration=${FILM_SECONDS}`
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', audio]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...codecs, path])
  return path
}
