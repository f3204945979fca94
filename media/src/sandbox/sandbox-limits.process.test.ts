/** How a program ends that takes too much, and how it is told from others that end. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { sleepersWith } from '../../testing/processes.ts'
import { never, smallLimits, taskOf, uniqueSleep } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'
import type { Task } from './task.ts'

describe.each(['bubblewrap', 'none'] as const)('limits, %s', (mode) => {
  const endingOf = async (task: Task, signal = never) =>
    (await runInSandbox({ mode }, task, signal)).ending

  it('time', async () => {
    const sleep = uniqueSleep()
    const task = taskOf('sleep', [sleep], { limits: { ...smallLimits, wallSeconds: 0.5 } })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'time' })
    expect(sleepersWith(sleep)).toEqual([])
  })

  it('processor time', async () => {
    const task = taskOf('sh', ['-c', 'while :; do :; done'], {
      limits: { ...smallLimits, cpuSeconds: 1 },
    })
    expect(await endingOf(task)).toEqual({ kind: 'limit', limit: 'cpu' })
  })

  it('processor time of a program that catches the signal for it', async () => {
    const endless = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', 'testsrc2', '-f', 'null', '-']
    const task = taskOf('ffmpeg', endless, { limits: { ...smallLimits, cpuSeconds: 1 } })
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
    const task = taskOf('ffmpeg', bomb, { limits: { ...smallLimits, memoryBytes: 300 * 2 ** 20 } })
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
      ...{ outputDirectory: output, limits: { ...smallLimits, fileBytes: 1000 } },
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
    await vi.waitFor(() => expect(sleepersWith(sleep)).not.toEqual([]), { timeout: 10_000 })
    wish.abort()
    expect(await ending).toEqual({ kind: 'aborted' })
    expect(sleepersWith(sleep)).toEqual([])
  })

  it('one that was called off before it began does not begin', async () => {
    expect(await endingOf(taskOf('sleep', [uniqueSleep()]), AbortSignal.abort())).toEqual({
      kind: 'aborted',
    })
  })
})
