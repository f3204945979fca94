/** Tests the check of a program's output without the system call filter, which would prevent most invalid entries. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { never, smallLimits, taskOf } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'

describe('the check of the output of a program', () => {
  const statusAfter = async (script: string) => {
    const output = mkdtempSync(join(tmpdir(), 'sandbox-output-'))
    const limits = { ...smallLimits, writtenBytes: 2 ** 30 }
    const task = taskOf('sh', ['-c', `cd ${output} && ${script}`], { outputDirectory: output, limits })
    const { exitStatus } = await runInSandbox({ mode: 'none' }, task, never)
    rmSync(output, { recursive: true })
    return exitStatus
  }

  it.each([
    ['a link', 'ln -s /etc/passwd link', 'link is not a file'],
    ['a link to a directory', 'mkdir 240p && ln -s /etc 240p/link', 'link is not a file'],
    ['a dangling link', 'ln -s none link', 'link is not a file'],
    ['a named pipe', 'mkfifo pipe', 'pipe is not a file'],
    ['too many files', 'touch $(seq 10001)', 'more than 10000 files'],
  ])('reports %s', async (_, script, reason) => {
    expect(await statusAfter(script)).toEqual({ kind: 'invalid-output', reason })
  })

  it('accepts files in directories', async () => {
    expect(await statusAfter('mkdir -p a/b && touch a/b/c d')).toEqual({ kind: 'exited', code: 0 })
  })
})
