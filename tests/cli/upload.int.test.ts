import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { assets } from '@reelkeep/contract'
import {
  HttpProxy,
  latency,
  resetDatabase,
  resetPeer,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

type Line = {
  readonly file: string
  readonly asset: assets.Asset | null
  readonly page_url: string | null
  readonly error: { readonly code: string | null; readonly message: string } | null
}

/** A file size slightly over the limit for a form: three parts, the last with one byte. */
const LARGE_BYTES = 2 * 16 * 1024 ** 2 + 1
const [HIDE, SHOW, CTRL_C] = ['\u001b[?25l', '\u001b[?25h', '\u0003']
const env = withDatabase(stackEnv(), 'cli_upload')
const buckets = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-cli-upload',
  STORAGE_MEDIA_BUCKET: 'reelkeep-cli-upload-media',
}
await Promise.all([resetDatabase(env), setUpUploads(env, buckets)])
const storageProxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const fixture = await opened(CliFixture.open({ ...buckets, STORAGE_PUBLIC_ENDPOINT: storageProxy.url }, env))
await opened(WorkerProcess.start({ settings: buckets, env }))
const { run, start, atTerminal, caller, home } = fixture

const film = join(home, 'film.mp4')
await promisify(execFile)('ffmpeg', [
  ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=2'],
  ...['-c:v', 'libx264', '-preset', 'ultrafast', film],
])

beforeEach(() => storageProxy.reset())

function put(path: string, bytes: Uint8Array | number = 1000): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof bytes === 'number' ? randomBytes(bytes) : bytes)
  return path
}

const linesIn = (stdout: string): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const listOf = async <Item>(path: string) => (await caller.get<{ results: Item[] }>(path)).body.results

describe('reelkeep upload', () => {
  it('uploads files, and prints their asset ids', async () => {
    const { code, stdout, stderr } = await run(['upload', 'film.mp4', '--title', 'Film', '--resolutions', '240p'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const [, id] = /^✓ ([0-9a-f-]{36}) {2}film\.mp4/.exec(stdout) ?? []
    const { body } = await caller.get<assets.Asset>(`assets/${id}/`)
    expect(body).toMatchObject({ title: 'Film', video: { resolutions: ['240p'] } })
    expect(stderr).toMatch(/^film\.mp4: 0 % sent\nfilm\.mp4: 100 % sent\n$/)
  })

  it('prints one line per file with --json; the failure of a file does not stop the others', async () => {
    put('empty.mp4', 0)
    put('a.mp4')
    const { code, stdout } = await run(['--json', 'upload', 'missing.mp4', 'empty.mp4', 'a.mp4', '--protect', 'aes'])
    expect(code).toBe(1)
    const [missing, empty, sent] = linesIn(stdout)
    expect(missing).toMatchObject({
      file: 'missing.mp4',
      asset: null,
      error: { code: 'file_not_found', message: 'does not exist.' },
    })
    expect(empty?.error?.message).toBe('is empty.')
    expect(sent).toMatchObject({
      error: null,
      asset: { title: 'a', bytes: 1000, video: { content_protection_type: 'aes' } },
    })
  })

  it('lists failed files at the end, without control characters', async () => {
    const name = put('a\u001b[31m\u0007b.mp4')
    put('tree/in.mp4')
    const { code, stdout, stderr } = await run(['upload', 'tree', 'missing\u001b[2J.mp4', name])
    expect(code).toBe(2)
    expect(stderr).toContain('2 of 3 files failed:\n  tree: is a folder. Use --recursive')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters.
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
  })

  it('creates each missing folder once, and uses existing folders', async () => {
    for (const file of ['Talks/a.mp4', 'Talks/2026/b.mov', 'Talks/2026/c.mkv', 'Talks/.d.mp4']) put(file)
    put('Talks/notes.txt')
    const { body: parent } = await caller.post<{ uuid: string }>('assets/folders/', {
      title: 'All',
    })
    const { body: there } = await caller.post<{ uuid: string }>('assets/folders/', {
      title: 'Talks',
      parent: parent.uuid,
    })
    const { code } = await run(['upload', 'Talks', '--recursive', '--folder', 'All', '--concurrency', '4'])
    expect(code).toBe(0)
    const inAll = await listOf<{ uuid: string }>(`assets/folders/?parent=${parent.uuid}`)
    expect(inAll.map(({ uuid }) => uuid)).toEqual([there.uuid])
    const inTalks = await listOf<{ uuid: string; title: string }>(`assets/folders/?parent=${there.uuid}`)
    expect(inTalks.map(({ title }) => title)).toEqual(['2026'])
    const titles = async (folder = '') =>
      (await listOf<assets.Asset>(`assets/?folder=${folder}`)).map(({ title }) => title).toSorted()
    expect(await titles(there.uuid)).toEqual(['a'])
    expect(await titles(inTalks[0]?.uuid)).toEqual(['b', 'c'])
  })

  it('continues if stderr is closed, and stops if stdout is closed', async () => {
    for (const name of ['p/1.mp4', 'p/2.mp4', 'p/3.mp4']) put(name)
    const args = ['upload', 'p/1.mp4', 'p/2.mp4', 'p/3.mp4', '--concurrency', '1']
    const unheard = start(args)
    unheard.child.stderr?.destroy()
    const { code, stdout } = await unheard.ended()
    expect([code, stdout.match(/✓/g)?.length]).toEqual([0, 3])
    const unread = start(args)
    unread.child.stdout?.destroy()
    const stopped = await unread.ended()
    expect(stopped.code).toBe(141)
    expect(stopped.stderr).toMatch(/Stopped\. [12] of 3 files not uploaded/)
  })

  it('refuses a file that cannot be a video, and uploads it with --any-type', async () => {
    put('notes.txt', Buffer.from('Bring the projector.\n'))
    const refused = await run(['upload', 'notes.txt'])
    expect(refused).toMatchObject({ code: 7, stdout: '' })
    expect(refused.stderr).toBe(
      '✗ notes.txt: is a text file, not a video. Use --any-type to upload it anyway. (not_a_video)\n',
    )
    expect(storageProxy.requests).toEqual([])
    put('beside.mp4', readFileSync(film))
    const beside = await run(['upload', 'notes.txt', 'beside.mp4'])
    expect(beside).toMatchObject({ code: 7, stdout: expect.stringMatching(/^✓ \S+ {2}beside\.mp4\n$/) })
    expect((await run(['upload', 'notes.txt', '--any-type'])).stdout).toMatch(/^✓ \S+ {2}notes\.txt\n$/)
  })

  it('rejects invalid options before it sends anything', async () => {
    for (const wrong of [
      ['film.mp4', '--resolutions', '9000p'],
      ['film.mp4', 'a.mp4', '--title', 'Both'],
      ['film.mp4', '--concurrency', '0'],
      ['film.mp4', '--protect', 'somehow'],
    ])
      expect((await run(['upload', ...wrong])).code).toBe(2)
    expect(storageProxy.requests).toEqual([])
  })
})

describe('reelkeep upload --watch', () => {
  it('waits until the video is processed, and prints its link', async () => {
    const { code, stdout, stderr } = await run(['upload', 'film.mp4', '--watch', '--resolutions', '240p'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toMatch(/film\.mp4: ready to play at http/)
    const [, id] = /^✓ ([0-9a-f-]{36})/.exec(stdout) ?? []
    const { body } = await caller.get<assets.Asset>(`assets/${id}/`)
    expect(body.video.status).toBe('Completed')
    const page = new URL(/http\S+\/embed\/\S+/.exec(stdout)?.[0] ?? '')
    expect(page.pathname).toBe(`/embed/${caller.organizationId}/${id}/`)
    const token = page.searchParams.get('token')
    const about = await fetch(`${fixture.api.baseUrl}/play/${token}/${caller.organizationId}/${id}/about.json`)
    expect(about.status).toBe(200)
  })

  it('exits with 7 for a file that is not a video, and prints the error', async () => {
    put('noise.mp4', 5000)
    const { code, stderr } = await run(['upload', 'noise.mp4', '--watch'])
    expect(code).toBe(7)
    expect(stderr).toMatch(/noise\.mp4: .+ \(not_a_video\)/)
  })
})

describe('reelkeep upload that fails', () => {
  const login = { REELKEEP_URL: fixture.api.baseUrl, REELKEEP_ORGANIZATION: caller.organizationId }

  it('exits with 7 for a file that is too small to be a video, and keeps no resume state', async () => {
    put('six.mp4', Buffer.alloc(6))
    const state = join(home, 'state')
    const env = { ...login, REELKEEP_TOKEN: caller.token, XDG_STATE_HOME: state }
    const { code, stderr } = await run(['upload', 'six.mp4'], { env })
    expect({ code, stderr }).toMatchObject({ code: 7 })
    expect(stderr).not.toContain('upload_session_closed')
    expect(readdirSync(join(state, 'reelkeep/unfinished-uploads'))).toEqual([])
  })

  it('prints a hint for an invalid token, and no progress', async () => {
    const env = { ...login, REELKEEP_TOKEN: 'none' }
    const { code, stderr } = await run(['upload', 'film.mp4'], { env })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^✗ film\.mp4: .+\n {2}Log in again: reelkeep login\n$/)
  })

  it('still uploads the file if only the resume state cannot be saved', async () => {
    put('in-the-way')
    const state = join(home, 'in-the-way')
    const env = { ...login, REELKEEP_TOKEN: caller.token, XDG_STATE_HOME: state }
    const { code, stderr } = await run(['upload', 'film.mp4'], { env })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr.match(/cannot be saved/g)).toHaveLength(1)
  })
})

describe('reelkeep upload that is interrupted', () => {
  const stateFolder = join(home, '.local/state/reelkeep/unfinished-uploads')
  /** Saved states of a file. Other tests leave states of other files. */
  const savedStates = (file: string) =>
    readdirSync(stateFolder).filter((name) => readFileSync(join(stateFolder, name), 'utf8').includes(`/${file}"`))
  const partsAsked = () => storageProxy.requests.filter(({ path }) => path.includes('partNumber='))

  /** Interrupts an upload with SIGINT when the first part of the last file has arrived and the others are delayed. */
  async function interrupt(...files: string[]) {
    return interruptAfter(async () => {}, ...files)
  }

  async function interruptAfter(meanwhile: () => Promise<void>, ...files: string[]) {
    const blocked = Promise.withResolvers<void>()
    storageProxy.rules = [
      {
        match: ({ path }) => /partNumber=[23]/.test(path),
        action: latency(() => blocked.promise, resetPeer),
      },
    ]
    const running = start(['upload', ...files])
    await expect.poll(() => partsAsked().length).toBe(3)
    const sessions = await listOf<{ uuid: string }>('assets/upload-sessions/?status=Uploading')
    const session = `assets/upload-sessions/${sessions[0]?.uuid}/`
    const arrived = async () => (await caller.get<{ parts: unknown[] }>(`${session}parts/`)).body.parts.length
    await expect.poll(arrived).toBe(1)
    storageProxy.rules = []
    await meanwhile()
    const ended = await running.interrupted()
    blocked.resolve()
    storageProxy.reset()
    return { ...ended, session }
  }

  it('resumes when it is run again, and then removes its resume state', async () => {
    put('large.mp4', LARGE_BYTES)
    const { code, stderr } = await interrupt('large.mp4')
    expect(code).toBe(130)
    expect(stderr).toContain('Run the same command again')
    const again = await run(['upload', 'large.mp4'])
    expect(again.code).toBe(0)
    expect(again.stderr).toMatch(
      /^large\.mp4: resuming at 49 %\.\nlarge\.mp4: comparing received parts with the file\nlarge\.mp4: \d+ % sent\n/,
    )
    expect(
      partsAsked()
        .map(({ path }) => /partNumber=(\d+)/.exec(path)?.[1])
        .toSorted(),
    ).toEqual(['2', '3'])
    expect(savedStates('large.mp4')).toEqual([])
  })

  it('skips files that are uploaded when it is run again, and resumes the others', async () => {
    // Real videos: a file whose processing fails is uploaded again.
    for (const name of ['again-1.mp4', 'again-2.mp4']) put(name, readFileSync(film))
    put('large.mp4', LARGE_BYTES)
    const files = ['again-1.mp4', 'again-2.mp4', 'large.mp4']
    const { code, stdout, stderr } = await interrupt(...files, '--concurrency', '1')
    expect([code, stdout.match(/✓/g)?.length]).toEqual([130, 2])
    expect(stderr).toContain('Stopped. 1 of 3 files not uploaded. Run the same command again to resume.')
    const again = await run(['upload', ...files])
    expect([again.code, again.stdout.match(/✓/g)?.length]).toEqual([0, 3])
    for (const name of files.slice(0, 2)) expect(again.stderr).toContain(`${name}: already uploaded.`)
    expect(again.stderr).toContain('large.mp4: resuming at 49 %.')
    const titles = (await listOf<assets.Asset>('assets/?q=again')).map(({ title }) => title)
    expect(titles.toSorted()).toEqual(['again-1', 'again-2'])
    expect(files.flatMap(savedStates)).toEqual([])
  })

  it('starts from the beginning with --no-resume, with other settings, and if the session has ended', async () => {
    put('large.mp4', LARGE_BYTES)
    const { session } = await interrupt('large.mp4')
    const other = await run(['upload', 'large.mp4', '--title', 'Another'])
    const without = await run(['upload', 'large.mp4', '--no-resume'])
    expect([other.code, without.code]).toEqual([0, 0])
    expect(other.stderr + without.stderr).not.toContain('resuming')
    expect(savedStates('large.mp4')).toHaveLength(1)
    await caller.delete(session)
    const over = await run(['upload', 'large.mp4'])
    expect(over.code).toBe(0)
    expect(over.stderr).toContain('starting again')
    expect(savedStates('large.mp4')).toEqual([])
  })

  it('uploads a file separately if another command is uploading it', async () => {
    put('large.mp4', LARGE_BYTES)
    const { code } = await interruptAfter(async () => {
      const other = await run(['upload', 'large.mp4'])
      expect(other.code).toBe(0)
      expect(other.stderr).toContain('another command is uploading this file')
    }, 'large.mp4')
    expect(code).toBe(130)
    expect((await run(['upload', 'large.mp4'])).stderr).toContain('resuming at 49 %')
    expect(savedStates('large.mp4')).toEqual([])
  })

  it('reports a file that was deleted before its upload started', async () => {
    put('large.mp4', LARGE_BYTES)
    put('vanishing.mp4')
    const blocked = Promise.withResolvers<void>()
    storageProxy.rules = [{ match: ({ path }) => /partNumber=/.test(path), action: latency(() => blocked.promise) }]
    const running = start(['upload', 'large.mp4', 'vanishing.mp4', '--concurrency', '1'])
    await expect.poll(() => partsAsked().length).toBe(3)
    rmSync(join(home, 'vanishing.mp4'))
    blocked.resolve()
    const { code, stdout, stderr } = await running.ended()
    expect(code).toBe(1)
    expect(stdout).toContain('large.mp4')
    expect(stderr).toMatch(/1 of 2 files failed:\n {2}vanishing\.mp4: .*(does not exist|no such file)/)
  })

  it('draws progress bars in a terminal, and restores the cursor', async () => {
    put('large.mp4', LARGE_BYTES)
    const blocked = Promise.withResolvers<void>()
    storageProxy.rules = [{ match: ({ path }) => /partNumber=2/.test(path), action: latency(() => blocked.promise) }]
    const running = atTerminal(['upload', 'large.mp4'], '')
    await expect.poll(running.stdout).toMatch(/large\.mp4 {2}━+╸?─+ +\d+ %/)
    expect(running.stdout().lastIndexOf(HIDE)).toBeGreaterThan(running.stdout().lastIndexOf(SHOW))
    running.child.stdin?.write(CTRL_C)
    const { code, stdout } = await running.ended()
    blocked.resolve()
    expect(code).toBe(130)
    expect(stdout).toContain('Run the same command again')
    expect(stdout.lastIndexOf(SHOW)).toBeGreaterThan(stdout.lastIndexOf(HIDE))
  })
})
