import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cli } from '../cli.ts'
import { CommandError } from '../exit-codes.ts'

/**
 * Does something with what somebody wrote in the editor of their choice; lines that begin with #
 * are ours. If that fails, the file stays, for nobody wants to write it again.
 */
export async function withEditedText(
  cli: Cli,
  beginning: string,
  use: (text: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-'))
  const file = join(folder, 'paste.txt')
  let isKept = false
  try {
    const text = await edited(cli, file, beginning)
    isKept = text.trim() !== ''
    await use(text)
    isKept = false
  } finally {
    if (isKept) cli.output().warning(`What you wrote is kept in ${file}`)
    else await rm(folder, { recursive: true, force: true })
  }
}

async function edited({ environment }: Cli, file: string, beginning: string): Promise<string> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  await writeFile(file, beginning)
  // By a shell, for the variable may hold arguments; the file is one of them and no part of the command.
  const editing = spawn('sh', ['-c', `${editor} "$1"`, 'editor', file], { stdio: 'inherit' })
  const [code] = await once(editing, 'close')
  if (code !== 0) throw new CommandError(`${editor} ended with ${code}; nothing was done.`)
  return (await readFile(file, 'utf8')).replace(/^#.*$/gm, '')
}
