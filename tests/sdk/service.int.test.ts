/** Tests the SDK against the real service, with a worker that encodes. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Caller, root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { type AssetProgress, GoneError, ProcessingError, Reelkeep } from 'reelkeep'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMediaFixture, uploadVideo } from '../media/media-fixture.ts'

const run = promisify(execFile)
const VIDEO_SECONDS = 2
const input = { resolutions: ['240p'] }

const fixture = await opened(openMediaFixture('sdk_service'))
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-sdk-service-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const video = join(folder, 'video.mp4')
const noVideo = join(folder, 'text.mp4')

beforeAll(async () => {
  const testVideo = ['-f', 'lavfi', '-i', `testsrc=d=${VIDEO_SECONDS}:s=320x240:r=25`]
  execFileSync('ffmpeg', ['-loglevel', 'error', ...testVideo, '-pix_fmt', 'yuv420p', video])
  writeFileSync(noVideo, 'This is a renamed text file.\n'.repeat(100))
  await fixture.startWorker()
})

const clientFor = ({ organizationId: organization, token }: Caller) =>
  new Reelkeep({ url: fixture.api.baseUrl, organization, token })

async function newClient(): Promise<{ caller: Caller; client: Reelkeep }> {
  const caller = await fixture.newCaller()
  return { caller, client: clientFor(caller) }
}

describe('folders', () => {
  it('are created, listed over pages, renamed and deleted', async () => {
    const { client } = await newClient()
    const lectures = await client.folders.create({ title: 'Lectures' })
    for (const title of ['c', 'a', 'b']) await client.folders.create({ title, parent: lectures.uuid })
    const titles: string[] = []
    for await (const { title } of client.folders.list({ parent: lectures.uuid, limit: 1 })) titles.push(title)
    expect(titles).toEqual(['a', 'b', 'c'])
    expect(await client.folders.list({ q: 'LECT' })).toMatchObject({ count: 1, next: null })
    expect(await client.folders.update(lectures.uuid, { title: 'Talks' })).toMatchObject({
      title: 'Talks',
      folder_count: 3,
    })
    await client.folders.delete(lectures.uuid, { recursive: true })
    expect(await client.folders.tree()).toEqual({ results: [] })
  })

  it('are created once per idempotency key', async () => {
    const { client } = await newClient()
    const create = () => client.folders.create({ title: 'Once' }, { idempotencyKey: 'once' })
    expect(await create()).toEqual(await create())
    expect(await client.folders.list()).toMatchObject({ count: 1 })
  })

  it('are not created with an invalid title; the error has the field and the request id', async () => {
    const { client } = await newClient()
    await expect(client.folders.create({ title: ' ' })).rejects.toMatchObject({
      name: 'InvalidRequestError',
      code: 'invalid_title',
      field: 'title',
      requestId: expect.stringMatching(/./),
    })
  })
})

describe('events', () => {
  it('have the same content in the log and on the stream', async () => {
    const { client } = await newClient()
    for (const title of ['a', 'b', 'c']) await client.folders.create({ title })
    const logged: unknown[] = []
    for await (const event of client.events.list({ types: 'folder.*', limit: 1 })) logged.push(event)
    const streamed: unknown[] = []
    for await (const event of client.events.stream({ types: 'folder.*', after: 0 }))
      if (streamed.push(event) === logged.length) break
    expect(logged).toHaveLength(3)
    expect(streamed).toEqual(logged)
  })

  it('cannot be listed after an unknown number: events.list rejects with a GoneError', async () => {
    const { client } = await newClient()
    await expect(client.events.list({ after: 1_000_000 })).rejects.toBeInstanceOf(GoneError)
  })
})

it('the README example uploads a file and prints a URL that plays', async () => {
  const { organizationId, token } = await fixture.newCaller()
  const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const program = code.replace("'lecture.mp4'", JSON.stringify(video))
  const env = {
    REELKEEP_URL: fixture.api.baseUrl,
    REELKEEP_ORGANIZATION: organizationId,
    REELKEEP_TOKEN: token,
  }
  // The program runs in the folder tests, from which it can import the package.
  const options = { cwd: join(root, 'tests'), env, encoding: 'utf8' } as const
  const result = await run(process.execPath, ['--input-type=module-typescript', '-e', program], options)
  const url = result.stdout.trim().split('\n').at(-1) ?? ''
  expect((await fetch(url)).status).toBe(200)
})

describe('waiting for a video', () => {
  it('reports progress', async () => {
    const { caller, client } = await newClient()
    const id = await uploadVideo(caller, video, input)
    const reported: AssetProgress[] = []
    const playable = await client.assets.waitUntilPlayable(id, {
      onProgress: (progress) => reported.push(progress),
    })
    const { status } = await fetch(playable.video.playback_url ?? '')
    expect(status).toBe(200)
    const completed = await client.assets.waitUntilCompleted(id)
    expect(completed.video).toMatchObject({ status: 'Completed', progress: 100 })
    expect(reported.every((progress) => progress.id === id)).toBe(true)
    expect(reported.length).toBeGreaterThan(1)
  })

  it('works without the scope events:read', async () => {
    const caller = await fixture.newCaller()
    const { token } = await clientFor(caller).tokens.create({
      name: 'Without events',
      scopes: ['assets:read', 'assets:write'],
    })
    const id = await uploadVideo(caller, video, input)
    const client = clientFor(caller.withToken(token))
    await expect(client.events.list()).rejects.toMatchObject({ code: 'insufficient_scope' })
    const completed = await client.assets.waitUntilCompleted(id)
    expect(completed.video.status).toBe('Completed')
  })

  it('rejects with the failure code when the file is not a video', async () => {
    const { caller, client } = await newClient()
    const id = await uploadVideo(caller, noVideo, input)
    const error = await client.assets.waitUntilPlayable(id).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProcessingError)
    const { video } = await client.assets.read(id)
    expect(error).toMatchObject({ assetId: id, code: 'not_a_video', detail: video.error?.detail })
  })
})
