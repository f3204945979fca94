/** Tests the guarantees of the sandbox from inside it. */
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inBubblewrap, taskOf } from '../../testing/tasks.ts'
import { ffmpeg, openSandbox } from './sandbox.ts'

const runProgram = async (program: string, ...given: string[]) => {
  const { exitStatus, stdout, stderr } = await inBubblewrap(taskOf(program, given))
  return { exitStatus, stdout: stdout.toString('utf8'), stderr }
}

describe('openSandbox', () => {
  it.each(['bubblewrap', 'none'] as const)('finds ffmpeg and its version in mode %s', async (mode) => {
    expect(await openSandbox({ mode })).toEqual({
      mode,
      ffmpegVersion: expect.stringMatching(/^\d/),
    })
  })

  it('refuses a worker whose memory is too small for a probe', async () => {
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(2 ** 30 - 1)
    await expect(openSandbox({ mode: 'none' })).rejects.toThrow(
      'This worker has 1023 MiB of memory. Give it at least 1024 MiB',
    )
  })
})

describe('a program in the sandbox', () => {
  const outside = mkdtempSync(join(tmpdir(), 'sandbox-canary-'))
  afterAll(() => rmSync(outside, { recursive: true }))
  writeFileSync(join(outside, 'input'), 'visible')
  writeFileSync(join(outside, 'canary'), 'hidden')

  it('has user 65534, no privileges and no environment', async () => {
    expect((await runProgram('id')).stdout).toBe('uid=65534 gid=65534 groups=65534\n')
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('STORAGE_SECRET_ACCESS_KEY', 'a canary')
    expect((await runProgram('env')).stdout.trim()).toBe('PWD=/')
  })

  it('can access its input and no other file of the host', async () => {
    const input = { kind: 'file', path: join(outside, 'input') } as const
    const seen = await inBubblewrap(taskOf('cat', ['/in/source'], { input }))
    expect(seen.stdout.toString()).toBe('visible')
    for (const path of ['/etc/passwd', join(outside, 'canary'), '/proc/self/environ', '/in/canary']) {
      expect((await inBubblewrap(taskOf('cat', [path], { input }))).stderr).toContain('No such file')
    }
    expect((await runProgram('ls', '/', '/usr/bin', '/etc')).stdout).toBe(
      '/:\ndev\netc\nlib\nlib64\nusr\n\n/etc:\nalternatives\nld.so.cache\n\n/usr/bin:\nls\nprlimit\nsh\n',
    )
  })

  it('can be at any path of the host, which is not visible inside the sandbox', async () => {
    copyFileSync('/usr/bin/pwd', join(outside, 'a program'))
    chmodSync(join(outside, 'a program'), 0o755)
    const task = { ...taskOf('', []), program: join(outside, 'a program') }
    expect((await inBubblewrap(task)).stdout.toString()).toBe('/\n')
    const listed = await inBubblewrap(taskOf('ls', ['/']))
    expect(listed.stdout.toString().split('\n')).not.toContain('tmp')
  })

  it('streams its output while it runs, and is stopped at the output limit', async () => {
    const controller = new AbortController()
    const given = ['-c', 'echo one; while :; do :; done']
    const onStdout = (chunk: Buffer) => controller.abort(chunk.toString())
    const run = await inBubblewrap(taskOf('sh', given, { onStdout }), controller.signal)
    expect(controller.signal.reason).toBe('one\n')
    expect([run.exitStatus, run.stdout.length]).toEqual([{ kind: 'aborted' }, 0])
    const endless = await inBubblewrap(taskOf('yes', [], { onStdout: () => undefined }))
    expect(endless.exitStatus).toEqual({ kind: 'limit', limit: 'output' })
  })

  it('writes only to its output directory', async () => {
    for (const path of ['/x', '/dev/x', '/usr/x', '/in/source']) {
      const { stderr } = await runProgram('sh', '-c', `echo x > ${path}`)
      expect(stderr).toMatch(/Read-only file system|cannot create/)
    }
    const task = taskOf('sh', ['-c', 'echo made > /out/made'], { outputDirectory: outside })
    expect((await inBubblewrap(task)).exitStatus).toEqual({ kind: 'exited', code: 0 })
    expect(readFileSync(join(outside, 'made'), 'utf8')).toBe('made\n')
  })

  it('cannot create links or pipes in its output', async () => {
    const output = mkdtempSync(join(outside, 'links-'))
    writeFileSync(join(output, 'file'), '')
    for (const given of [
      ['-s', join(outside, 'canary'), '/out/link'],
      ['/out/file', '/out/link'],
    ]) {
      const { stderr } = await inBubblewrap(taskOf('ln', given, { outputDirectory: output }))
      expect(stderr).toContain('Function not implemented')
    }
    const pipe = await inBubblewrap(taskOf('mkfifo', ['/out/pipe'], { outputDirectory: output }))
    expect(pipe.stderr).toContain('Function not implemented')
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
    const asked = await runProgram('ffmpeg', '-v', 'error', '-i', `http://127.0.0.1:${port}/x.mp4`)
    expect(asked.stderr).toContain('Function not implemented')
    const named = await runProgram('ffmpeg', '-v', 'error', '-i', 'http://localhost.localdomain/x.mp4')
    expect(named.stderr).toContain('Failed to resolve hostname')

    const input = { kind: 'relay', socketPath: join(outside, 'input') } as const
    const relayed = taskOf('ffmpeg', ['-v', 'error', '-i', `http://127.0.0.1:${port}/x.mp4`], {
      input,
    })
    expect((await inBubblewrap(relayed)).stderr).toContain('Connection refused')
    expect(touched).toBe(0)
    canary.close()
  })

  it('cannot create namespaces', async () => {
    const { exitStatus, stderr } = await runProgram('unshare', '--user', '--map-root-user', 'sh')
    expect({ exitStatus, stderr }).toMatchObject({
      exitStatus: { kind: 'exited', code: 1 },
      stderr: expect.stringContaining('Function not implemented'),
    })
  })

  it('cannot make a system call that is not listed, whatever its number', async () => {
    // No kernel has 470 to 500 yet; 425 is io_uring_setup; 188 on x64 and 5 on arm64 are setxattr.
    const calls = [425, process.arch === 'x64' ? 188 : 5, ...Array.from({ length: 31 }, (_, index) => 470 + index)]
    const script = `for (${calls.join()}) { $! = 0; syscall($_, 0, 0, 0, 0, 0, 0); print $! + 0, " " }`
    const { stdout } = await runProgram('perl', '-e', script)
    const ENOSYS = 38
    expect(stdout.trim().split(' ').map(Number)).toEqual(calls.map(() => ENOSYS))
  })

  it('cannot delete or rename its output, so that the worker sees everything it has written', async () => {
    const output = mkdtempSync(join(outside, 'kept-'))
    writeFileSync(join(output, 'file'), '')
    const { stdout } = await inBubblewrap(
      taskOf('perl', ['-e', 'print 0 + unlink("/out/file"), 0 + rename("/out/file", "/out/other")'], {
        outputDirectory: output,
      }),
    )
    expect([stdout.toString(), readdirSync(output)]).toEqual(['00', ['file']])
  })
})

it('ffmpeg encodes in the sandbox', async () => {
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
  expect(run).toMatchObject({ exitStatus: { kind: 'exited', code: 0 }, stderr: '' })
  expect(run.cpuSeconds).toBeGreaterThan(0)
})
