/** Runs programs that exceed a limit, or end for another reason, and checks the reported exit status. */
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sleepersWith } from '../../testing/processes.ts'
import { never, smallLimits, taskOf, uniqueSleep } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'
import type { Task } from './task.ts'

describe.each(['bubblewrap', 'none'] as const)('the exit status in mode %s', (mode) => {
  const statusOf = async (task: Task, signal = never) => (await runInSandbox({ mode }, task, signal)).exitStatus

  it('reports the wall-clock limit and leaves no process', async () => {
    const sleep = uniqueSleep()
    const task = taskOf('sleep', [sleep], { limits: { ...smallLimits, wallSeconds: 0.5 } })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'time' })
    expect(sleepersWith(sleep)).toEqual([])
  })

  it('reports the CPU limit', async () => {
    const task = taskOf('sh', ['-c', 'while :; do :; done'], {
      limits: { ...smallLimits, cpuSeconds: 1 },
    })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'cpu' })
  })

  it('reports the CPU limit of a program that catches SIGXCPU', async () => {
    const endless = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', 'testsrc2', '-f', 'null', '-']
    const task = taskOf('ffmpeg', endless, { limits: { ...smallLimits, cpuSeconds: 1 } })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'cpu' })
  })

  it('reports the memory limit, and whether the worker has less memory than that', async () => {
    // ffmpeg exits with 0 although an allocation fails.
    const large = ['-f', 'lavfi', '-i', 'color=size=8000x8000:rate=1', '-pix_fmt', 'rgba64le']
    const bomb = ['-v', 'error', '-nostdin', ...large, '-frames:v', '1', '-f', 'null', '-']
    const task = taskOf('ffmpeg', bomb, { limits: { ...smallLimits, memoryBytes: 200 * 2 ** 20 } })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'memory' })
    onTestFinished(() => void vi.restoreAllMocks())
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(200 * 2 ** 20)
    expect(await statusOf(taskOf('ffmpeg', bomb))).toEqual({ kind: 'worker-memory', bytes: 150 * 2 ** 20 })
  })

  it.each(['', ' >&2'])('reports the output limit: echo%s', async (where) => {
    const task = taskOf('sh', ['-c', `while :; do echo 0123456789${where}; done`])
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'output' })
  })

  it('reports the file size limit', async () => {
    const output = mkdtempSync(join(tmpdir(), 'sandbox-output-'))
    const path = join(mode === 'bubblewrap' ? '/out' : output, 'large')
    const task = taskOf('sh', ['-c', `while :; do echo 0123456789; done > ${path}`], {
      ...{ outputDirectory: output, limits: { ...smallLimits, fileBytes: 1000 } },
    })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'file' })
    rmSync(output, { recursive: true })
  })

  it.each([
    ['and keeps running', '; sleep 100'],
    ['and exits', ''],
  ])('reports a program that writes 60 files of 1 MB under a limit of 10 MB for all of them, %s', async (_, end) => {
    const output = mkdtempSync(join(tmpdir(), 'sandbox-output-'))
    chmodSync(output, 0o777)
    const folder = mode === 'bubblewrap' ? '/out' : output
    const script = `for (1..60) { open F, ">", "${folder}/$_"; print F "x" x 1e6; close F }${end}`
    const limits = { ...smallLimits, writtenBytes: 10e6 }
    const task = taskOf('perl', ['-e', script], { outputDirectory: output, limits })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'file' })
    rmSync(output, { recursive: true })
  })

  it('does not count files that were in the output directory before', async () => {
    const output = mkdtempSync(join(tmpdir(), 'sandbox-output-'))
    writeFileSync(join(output, 'before'), Buffer.alloc(100_000))
    const task = taskOf('true', [], { outputDirectory: output, limits: { ...smallLimits, writtenBytes: 1 } })
    expect(await statusOf(task)).toEqual({ kind: 'exited', code: 0 })
    rmSync(output, { recursive: true })
  })

  it('does not count reserved address space as memory', async () => {
    // Maps a file of 8 GiB without content, read-only.
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-input-'))
    const path = join(folder, 'sparse')
    writeFileSync(path, '')
    truncateSync(path, 8 * 2 ** 30)
    const shown = mode === 'bubblewrap' ? '/in/source' : path
    const limits = { ...smallLimits, memoryBytes: 300 * 2 ** 20 }
    const call = process.arch === 'x64' ? 9 : 222
    const script = `open F, "<", "${shown}"; exit(syscall(${call}, 0, 8 << 30, 1, 2, fileno(F), 0) == -1 ? 3 : 0)`
    const task = taskOf('perl', ['-e', script], { input: { kind: 'file', path }, limits })
    expect(await statusOf(task)).toEqual({ kind: 'exited', code: 0 })
    rmSync(folder, { recursive: true })
  })

  it('reports a program that dies by SIGKILL as killed', async () => {
    expect(await statusOf(taskOf('sh', ['-c', 'kill -KILL $$']))).toEqual({
      kind: 'killed',
      signal: 'SIGKILL',
    })
  })

  it('reports a segmentation fault as crashed', async () => {
    expect(await statusOf(taskOf('sh', ['-c', 'kill -SEGV $$']))).toEqual({
      kind: 'crashed',
      signal: 'SIGSEGV',
    })
  })

  it('reports why a program could not be started', async () => {
    expect(await statusOf(taskOf('no-such-program', []))).toEqual({
      kind: 'not-started',
      reason: expect.stringContaining('no-such-program'),
    })
  })

  it('reports an aborted program as aborted, and leaves no process', async () => {
    const sleep = uniqueSleep()
    const controller = new AbortController()
    const status = statusOf(taskOf('sleep', [sleep]), controller.signal)
    await expect.poll(() => sleepersWith(sleep)).not.toEqual([])
    controller.abort()
    expect(await status).toEqual({ kind: 'aborted' })
    expect(sleepersWith(sleep)).toEqual([])
  })

  it('reports a program whose signal is already aborted as aborted', async () => {
    expect(await statusOf(taskOf('sleep', [uniqueSleep()]), AbortSignal.abort())).toEqual({
      kind: 'aborted',
    })
  })
})
