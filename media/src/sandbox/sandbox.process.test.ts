/** What the sandbox promises, tried from inside it. */
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
import { afterAll, describe, expect, it, vi } from 'vitest'
import { inBubblewrap, taskOf } from '../../testing/tasks.ts'
import { ffmpeg, openSandbox } from './sandbox.ts'

const said = async (program: string, ...given: string[]) => {
  const { ending, stdout, stderr } = await inBubblewrap(taskOf(program, given))
  return { ending, stdout: stdout.toString('utf8'), stderr }
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
