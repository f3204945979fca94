/** The SDK against the service as an operator runs it, with a worker that really encodes. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Caller, root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { type AssetProgress, GoneError, ProcessingError, Reelkeep } from 'reelkeep'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMediaStage, uploadVideo } from '../media/media-stage.ts'

const run = promisify(execFile)
const VIDEO_SECONDS = 2
const wish = { resolutions: ['240p'] }

const stage = await opened(openMediaStage('sdk_service'))
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-sdk-service-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const video = join(folder, 'video.mp4')
const noVideo = join(folder, 'text.mp4')

beforeAll(async () => {
  const picture = ['-f', 'lavfi', '-i', `testsrc=d=${VIDEO_SECONDS}:s=320x240:r=25`]
  execFileSync('ffmpeg', ['-loglevel', 'error', ...picture, '-pix_fmt', 'yuv420p', video])
  writeFileSync(noVideo, 'This is a text that somebody has renamed.\n'.repeat(100))
  await stage.startWorker()
})

const clientFor = ({ organizationId: organization, token }: Caller) =>
  new Reelkeep({ url: stage.api.baseUrl, organization, token })

async function newClient(): Promise<{ caller: Caller; client: Reelkeep }> {
  const caller = await stage.newCaller()
  return { caller, client: clientFor(caller) }
}

describe('folders', () => {
  it('are made, listed over pages, moved and deleted', async () => {
    const { client } = await newClient()
    const lectures = await client.folders.create({ title: 'Lectures' })
    for (const title of ['c', 'a', 'b'])
      await client.folders.create({ title, parent: lectures.uuid })
    const titles: string[] = []
    for await (const { title } of client.folders.list({ parent: lectures.uuid, limit: 1 }))
      titles.push(title)
    expect(titles).toEqual(['a', 'b', 'c'])
    expect(await client.folders.list({ q: 'LECT' })).toMatchObject({ count: 1, next: null })
    expect(await client.folders.rename(lectures.uuid, { title: 'Talks' })).toMatchObject({
      title: 'Talks',
      folder_count: 3,
    })
    await client.folders.delete(lectures.uuid, { recursive: true })
    expect(await client.folders.tree()).toEqual({ results: [] })
  })

  it('are made once, however often one key is sent', async () => {
    const { client } = await newClient()
    const create = () => client.folders.create({ title: 'Once' }, { idempotencyKey: 'once' })
    expect(await create()).toEqual(await create())
    expect(await client.folders.list()).toMatchObject({ count: 1 })
  })

  it('tell which field is at fault, and the id of the request', async () => {
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
  it('are the same in the log and live', async () => {
    const { client } = await newClient()
    for (const title of ['a', 'b', 'c']) await client.folders.create({ title })
    const logged: unknown[] = []
    for await (const event of client.events.list({ types: 'folder.*', limit: 1 }))
      logged.push(event)
    const streamed: unknown[] = []
    for await (const event of client.events.stream({ types: 'folder.*', after: 0 }))
      if (streamed.push(event) === logged.length) break
    expect(logged).toHaveLength(3)
    expect(streamed).toEqual(logged)
  })

  it('that are not kept any more are said to be gone', async () => {
    const { client } = await newClient()
    await expect(client.events.list({ after: 1_000_000 })).rejects.toBeInstanceOf(GoneError)
  })
})

it('goes from a file to a playing video as the README says', async () => {
  const { organizationId, token } = await stage.newCaller()
  const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const program = code.replace("'lecture.mp4'", JSON.stringify(video))
  const env = {
    REELKEEP_URL: stage.api.baseUrl,
    REELKEEP_ORGANIZATION: organizationId,
    REELKEEP_TOKEN: token,
  }
  // From where the package is installed that it names.
  const options = { cwd: join(root, 'tests'), env, encoding: 'utf8' } as const
  const said = await run(
    process.execPath,
    ['--input-type=module-typescript', '-e', program],
    options,
  )
  const url = said.stdout.trim().split('\n').at(-1) ?? ''
  expect((await fetch(url)).status).toBe(200)
})

describe('a video', () => {
  it('is waited for, with its progress', async () => {
    const { caller, client } = await newClient()
    const id = await uploadVideo(caller, video, wish)
    const told: AssetProgress[] = []
    const playable = await client.assets.waitUntilPlayable(id, {
      onProgress: (progress) => told.push(progress),
    })
    const { status } = await fetch(playable.video.playback_url ?? '')
    expect(status).toBe(200)
    const completed = await client.assets.waitUntilCompleted(id)
    expect(completed.video).toMatchObject({ status: 'Completed', progress: 100 })
    expect(told.every((progress) => progress.id === id)).toBe(true)
    expect(told.length).toBeGreaterThan(1)
  })

  it('is waited for without events, too', async () => {
    const caller = await stage.newCaller()
    const { token } = await clientFor(caller).tokens.create({
      name: 'Without events',
      scopes: ['assets:read', 'assets:write'],
    })
    const id = await uploadVideo(caller, video, wish)
    const client = clientFor(caller.withToken(token))
    await expect(client.events.list()).rejects.toMatchObject({ code: 'insufficient_scope' })
    const completed = await client.assets.waitUntilCompleted(id)
    expect(completed.video.status).toBe('Completed')
  })

  it('that is none ends the wait with its code', async () => {
    const { caller, client } = await newClient()
    const id = await uploadVideo(caller, noVideo, wish)
    const error = await client.assets.waitUntilPlayable(id).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProcessingError)
    const { video } = await client.assets.read(id)
    expect(error).toMatchObject({ assetId: id, code: 'not_a_video', detail: video.error?.detail })
  })
})
