/** What a program leaves behind, where no filter stands before it, or should one fail. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { never, taskOf } from '../../testing/tasks.ts'
import { runInSandbox } from './sandbox.ts'

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
