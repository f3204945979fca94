/** Runs programs that exceed a limit, or end for another reason, and checks the reported exit status. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

  it('reports the memory limit', async () => {
    // ffmpeg exits with 0 although an allocation fails.
    const raw = ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', '16000x16000', '-i', '/dev/zero']
    const bomb = ['-v', 'error', '-nostdin', ...raw, '-frames:v', '1', '-f', 'null', '-']
    const task = taskOf('ffmpeg', bomb, { limits: { ...smallLimits, memoryBytes: 300 * 2 ** 20 } })
    expect(await statusOf(task)).toEqual({ kind: 'limit', limit: 'memory' })
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
