/** What the sandbox promises, tried from inside it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Limits } from './limits.ts'
import { ffmpeg, openSandbox, runInSandbox } from './sandbox.ts'
import type { Task, TaskInput } from './task.ts'

const limits: Limits = {
  wallSeconds: 15,
  cpuSeconds: 10,
  memoryBytes: 2 ** 30,
  fileBytes: 2 ** 20,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 2 ** 20,
  stderrBytes: 2 ** 20,
}
const never = new AbortController().signal
const none: TaskInput = { kind: 'none' }

const taskOf = (program: string, given: readonly string[], rest: Partial<Task> = {}): Task => ({
  program: `/usr/bin/${program}`,
  arguments: given,
  input: none,
  limits,
  ...rest,
})
const inBubblewrap = (task: Task, signal = never) =>
  runInSandbox({ mode: 'bubblewrap' }, task, signal)
const said = async (program: string, ...given: string[]) => {
  const { ending, stdout, stderr } = await inBubblewrap(taskOf(program, given))
  return { ending, stdout: stdout.toString('utf8'), stderr }
}

/** Sleeps that nobody else sleeps, so that the process can be found from outside. */
let sleeps = 0
const uniqueSleep = () => `${3000 + process.pid / 1e7 + ++sleeps}`

/** Processes of this machine that were started with this argument. */
const processesWith = (argument: string) =>
  readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false
    try {
      const [program = '', ...given] = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
      return program.endsWith('/sleep') && given.includes(argument)
    } catch {
      return false
    }
  })

/** Of this process, by the kernel's account: what stands behind the name and the state in `stat`. */
const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .filter((id) => {
      try {
        const [, rest = ''] = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')
        return rest.split(' ')[1] === String(parent)
      } catch {
        return false
      }
    })
    .map(Number)

/** The same as somebody without rights on this machine, if we have them. */
function startWorker(order: object) {
  const command = [
    process.execPath,
    join(import.meta.dirname, '../../testing/run-task.ts'),
    JSON.stringify(order),
  ]
  const demoted = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...command]
  const [program = '', ...given] = [
    ...['prlimit', '--nofile=256'],
    ...(process.getuid?.() === 0 ? demoted : command),
  ]
  return spawn(program, given, { stdio: ['ignore', 'pipe', 'inherit'] })
}
async function asOrdinaryUser(order: object): Promise<{ ending: object; stderr: string }> {
  const worker = startWorker(order)
  return JSON.parse(await text(worker.stdout))
}

describe('openSandbox', () => {
  it.each(['bubblewrap', 'none'] as const)('%s: finds ffmpeg and its version', async (mode) => {
    expect(await openSandbox({ mode })).toEqual({
      mode,
      ffmpegVersion: expect.stringMatching(/^\d/),
    })
  })
})

describe('a program in the sandbox', () => {
  const outside = mkdtempSync(join(tmpdir(), 'sandbox-canary-'))
  afterAll(() => rmSync(outside, { recursive: true }))
  writeFileSync(join(outside, 'input'), 'what it may see')
  writeFileSync(join(outside, 'canary'), 'what it may not')

  it('is nobody, with no right and no environment', async () => {
    expect((await said('id')).stdout).toBe('uid=65534 gid=65534 groups=65534\n')
    vi.stubEnv('STORAGE_SECRET_ACCESS_KEY', 'a canary')
    expect((await said('env')).stdout.trim()).toBe('PWD=/')
    vi.unstubAllEnvs()
  })

  it('sees its input and no other file of the host', async () => {
    const input = { kind: 'file', path: join(outside, 'input') } as const
    const seen = await inBubblewrap(taskOf('cat', ['/in/source'], { input }))
    expect(seen.stdout.toString()).toBe('what it may see')
    for (const path of [
      '/etc/passwd',
      join(outside, 'canary'),
      '/proc/self/environ',
      '/in/canary',
    ]) {
      expect((await inBubblewrap(taskOf('cat', [path], { input }))).stderr).toContain(
        'No such file',
      )
    }
    expect((await said('ls', '/', '/usr/bin', '/etc')).stdout).toBe(
      '/:\ndev\netc\nlib\nlib64\nusr\n\n/etc:\nalternatives\nld.so.cache\n\n/usr/bin:\nls\nprlimit\nsh\n',
    )
  })

  it('may be one that lies anywhere, of which it does not see where', async () => {
    copyFileSync('/usr/bin/pwd', join(outside, 'a program'))
    chmodSync(join(outside, 'a program'), 0o755)
    const task = { ...taskOf('', []), program: join(outside, 'a program') }
    expect((await inBubblewrap(task)).stdout.toString()).toBe('/\n')
    const listed = await inBubblewrap(taskOf('ls', ['/']))
    expect(listed.stdout.toString().split('\n')).not.toContain('tmp')
  })

  it('is heard while it runs, and stopped when it says too much', async () => {
    const heard = new AbortController()
    const given = ['-c', 'echo one; while :; do :; done']
    const onStdout = (chunk: Buffer) => heard.abort(chunk.toString())
    const run = await inBubblewrap(taskOf('sh', given, { onStdout }), heard.signal)
    expect(heard.signal.reason).toBe('one\n')
    expect([run.ending, run.stdout.length]).toEqual([{ kind: 'aborted' }, 0])
    const endless = await inBubblewrap(taskOf('yes', [], { onStdout: () => undefined }))
    expect(endless.ending).toEqual({ kind: 'limit', limit: 'output' })
  })

  it('can write nowhere but into its output', async () => {
    for (const path of ['/x', '/dev/x', '/usr/x', '/in/source']) {
      const { stderr } = await said('sh', '-c', `echo x > ${path}`)
      expect(stderr).toMatch(/Read-only file system|cannot create/)
    }
    const task = taskOf('sh', ['-c', 'echo made > /out/made'], { outputDirectory: outside })
    expect((await inBubblewrap(task)).ending).toEqual({ kind: 'exited', code: 0 })
    expect(readFileSync(join(outside, 'made'), 'utf8')).toBe('made\n')
  })

  it('makes no links in its output, which would be ours to follow', async () => {
    const output = mkdtempSync(join(outside, 'links-'))
    writeFileSync(join(output, 'file'), '')
    for (const given of [
      ['-s', join(outside, 'canary'), '/out/link'],
      ['/out/file', '/out/link'],
    ]) {
      const { stderr } = await inBubblewrap(taskOf('ln', given, { outputDirectory: output }))
      expect(stderr).toContain('Operation not permitted')
    }
    const pipe = await inBubblewrap(taskOf('mkfifo', ['/out/pipe'], { outputDirectory: output }))
    expect(pipe.stderr).toContain('Operation not permitted')
    expect(readdirSync(output)).toEqual(['file'])
  })

  it('reaches no network, not even this machine, with and without a relay', async () => {
    let touched = 0
    const canary = createServer((socket) => {
      touched++
      socket.end()
    })
    canary.listen(0, '127.0.0.1')
    await once(canary, 'listening')
    const { port } = canary.address() as AddressInfo
    const asked = await said('ffmpeg', '-v', 'error', '-i', `http://127.0.0.1:${port}/x.mp4`)
    expect(asked.stderr).toContain('Operation not permitted')
    const named = await said('ffmpeg', '-v', 'error', '-i', 'http://localhost.localdomain/x.mp4')
    expect(named.stderr).toContain('Failed to resolve hostname')

    const input = { kind: 'relay', socketPath: join(outside, 'input') } as const
    const relayed = taskOf('ffmpeg', ['-v', 'error', '-i', `http://127.0.0.1:${port}/x.mp4`], {
      input,
    })
    expect((await inBubblewrap(relayed)).stderr).toContain('Connection refused')
    expect(touched).toBe(0)
    canary.close()
  })

  it('cannot make namespaces or trace', async () => {
    const { ending, stderr } = await said('unshare', '--user', '--map-root-user', 'sh')
    expect({ ending, stderr }).toMatchObject({
      ending: { kind: 'exited', code: 1 },
      stderr: expect.stringContaining('Operation not permitted'),
    })
  })
})

/** Where no filter stands before it, or should one fail. */
describe('what is no file in the output of a program', () => {
  const leaving = async (script: string) => {
    const output = mkdtempSync(join(tmpdir(), 'sandbox-output-'))
    const task = taskOf('sh', ['-c', `cd ${output} && ${script}`], { outputDirectory: output })
    const { ending } = await runInSandbox({ mode: 'none' }, task, never)
    rmSync(output, { recursive: true })
    return ending
  }

  it.each([
    ['a link', 'ln -s /etc/passwd link', 'link is no file'],
    ['a link to a directory', 'mkdir 240p && ln -s /etc 240p/link', 'link is no file'],
    ['a link to nothing', 'ln -s none link', 'link is no file'],
    ['a pipe, on which a reader waits for ever', 'mkfifo pipe', 'pipe is no file'],
    ['more than anybody reads', 'touch $(seq 10001)', 'more than 10000 files'],
  ])('%s', async (_, script, what) => {
    expect(await leaving(script)).toEqual({ kind: 'strange-output', what })
  })

  it('files in directories are what is expected', async () => {
    expect(await leaving('mkdir -p a/b && touch a/b/c d')).toEqual({ kind: 'exited', code: 0 })
  })
})

describe.each(['bubblewrap', 'none'] as const)('limits, %s', (mode) => {
  const endingOf = async (task: Task, signal = never) =>
    (await runInSandbox({ mode }, task, signal)).ending

  it('time', async () => {
    const sleep = uniqueSleep()
    const task = taskOf('sleep', [sleep], { limits: { ...limits, wallSeconds: 0.5 } })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'time' })
    expect(processesWith(sleep)).toEqual([])
  })

  it('processor time', async () => {
    const task = taskOf('sh', ['-c', 'while :; do :; done'], {
      limits: { ...limits, cpuSeconds: 1 },
    })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'cpu' })
  })

  it('processor time of a program that catches the signal for it', async () => {
    const endless = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', 'testsrc2', '-f', 'null', '-']
    const task = taskOf('ffmpeg', endless, { limits: { ...limits, cpuSeconds: 1 } })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'cpu' })
  })

  it('memory', async () => {
    // Exits with 0, having done nothing.
    const raw = [
      '-f',
      'rawvideo',
      '-pixel_format',
      'rgb24',
      '-video_size',
      '16000x16000',
      '-i',
      '/dev/zero',
    ]
    const bomb = ['-v', 'error', '-nostdin', ...raw, '-frames:v', '1', '-f', 'null', '-']
    const task = taskOf('ffmpeg', bomb, { limits: { ...limits, memoryBytes: 300 * 2 ** 20 } })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'memory' })
  })

  it.each(['', ' >&2'])('output%s', async (where) => {
    const task = taskOf('sh', ['-c', `while :; do echo 0123456789${where}; done`])
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'output' })
  })

  it('a file that is too large', async () => {
    const output = mkdtempSync(join(tmpdir(), 'sandbox-output-'))
    const path = join(mode === 'bubblewrap' ? '/out' : output, 'large')
    const task = taskOf('sh', ['-c', `while :; do echo 0123456789; done > ${path}`], {
      ...{ outputDirectory: output, limits: { ...limits, fileBytes: 1000 } },
    })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'file' })
    rmSync(output, { recursive: true })
  })

  it('a kill by somebody else is none', async () => {
    expect(await endingOf(taskOf('sh', ['-c', 'kill -KILL $$']))).toEqual({
      kind: 'killed',
      signal: 'SIGKILL',
    })
  })

  it('a crash is none', async () => {
    expect(await endingOf(taskOf('sh', ['-c', 'kill -SEGV $$']))).toEqual({
      kind: 'crashed',
      signal: 'SIGSEGV',
    })
  })

  it('what cannot be started says why', async () => {
    expect(await endingOf(taskOf('no-such-program', []))).toEqual({
      kind: 'not-started',
      reason: expect.stringContaining('no-such-program'),
    })
  })

  it('an abort ends it at once, with its children', async () => {
    const sleep = uniqueSleep()
    const wish = new AbortController()
    const ending = endingOf(taskOf('sleep', [sleep]), wish.signal)
    await vi.waitFor(() => expect(processesWith(sleep)).not.toEqual([]), { timeout: 10_000 })
    wish.abort()
    expect(await ending).toEqual({ kind: 'aborted' })
    expect(processesWith(sleep)).toEqual([])
  })

  it('one that was called off before it began does not begin', async () => {
    expect(await endingOf(taskOf('sleep', [uniqueSleep()]), AbortSignal.abort())).toEqual({
      kind: 'aborted',
    })
  })
})

describe.each(['bubblewrap', 'none'] as const)('a worker without rights, %s', (mode) => {
  it('survives that it has no descriptors left, and says so', async () => {
    const order = { mode, task: taskOf('true', []), usesUpDescriptors: true }
    expect((await asOrdinaryUser(order)).ending).toEqual({
      kind: 'not-started',
      reason: expect.stringContaining('EMFILE'),
    })
  })

  it('ends what it called off at once, long before its time is over', async () => {
    const sleep = uniqueSleep()
    const order = { mode, task: taskOf('sleep', [sleep]), abortAfterMilliseconds: 500 }
    const run = await asOrdinaryUser(order)
    expect(run).toMatchObject({ ending: { kind: 'aborted' } })
    expect(Reflect.get(run, 'wallSeconds')).toBeLessThan(limits.wallSeconds / 2)
    expect(processesWith(sleep)).toEqual([])
  })

  it('leaves nothing behind when it is killed', { timeout: 30_000 }, async () => {
    const sleep = uniqueSleep()
    const worker = startWorker({ mode, task: taskOf('sleep', [sleep]) })
    await vi.waitFor(() => expect(processesWith(sleep)).not.toEqual([]), { timeout: 10_000 })
    worker.kill('SIGKILL')
    // Nobody watches its time any more: what ends it is that the worker is gone.
    await vi.waitFor(() => expect(processesWith(sleep)).toEqual([]), { timeout: 10_000 })
  })
})

describe.each(['bubblewrap', 'none'] as const)('at whatever moment, %s', (mode) => {
  /** The start takes some ten milliseconds; each of them is somebody's last. */
  const moments = Array.from({ length: 40 }, (_, index) => index * 0.7)

  /** socat listens before anything answers at the other end. */
  const relay: TaskInput = { kind: 'relay', socketPath: import.meta.filename }

  it.each(mode === 'bubblewrap' ? [none, relay] : [none])(
    'an abort ends everything: $kind',
    async (input) => {
      const sleep = uniqueSleep()
      for (const milliseconds of moments) {
        const stop = new AbortController()
        const run = runInSandbox({ mode }, taskOf('sleep', [sleep], { input }), stop.signal)
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        stop.abort()
        expect(await run).toMatchObject({ ending: { kind: 'aborted' } })
      }
      expect(processesWith(sleep)).toEqual([])
    },
  )

  it('a bubblewrap that is killed takes everything along', async () => {
    const sleep = uniqueSleep()
    const runs = moments.map(async (milliseconds) => {
      const run = runInSandbox({ mode }, taskOf('sleep', [sleep]), never)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      for (const id of childrenOf(process.pid)) process.kill(id, 'SIGKILL')
      return run
    })
    for (const run of await Promise.all(runs)) expect(run.ending.kind).toBe('killed')
    expect(processesWith(sleep)).toEqual([])
  })
})

it('a worker without rights lets nobody inside multiply', async () => {
  const bomb = 'i=0; while [ $i -lt 100 ]; do sh -c "while :; do :; done" & i=$((i+1)); done; wait'
  const { ending, stderr } = await asOrdinaryUser({
    mode: 'bubblewrap',
    task: taskOf('sh', ['-c', bomb], { limits: { ...limits, processes: 16 } }),
  })
  expect(stderr).toContain('Cannot fork')
  expect(ending).toEqual({ kind: 'exited', code: 2 })
})

it('ffmpeg is at home in it', async () => {
  const film = [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=160x90:duration=0.2',
    '-c:v',
    'libx264',
    '-f',
    'null',
    '-',
  ]
  const run = await inBubblewrap({ ...taskOf('ffmpeg', film), program: ffmpeg })
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, stderr: '' })
  expect(run.cpuSeconds).toBeGreaterThan(0)
})
