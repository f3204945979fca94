import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cli } from '../cli.ts'
import { CommandError } from '../exit-codes.ts'

/** What somebody wrote in the editor of their choice; lines that begin with # are ours. */
export async function editedText({ environment }: Cli, beginning: string): Promise<string> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-'))
  const file = join(folder, 'paste.txt')
  try {
    await writeFile(file, beginning)
    // By a shell, for the variable may hold arguments; the file is one of them and no part of the command.
    const editing = spawn('sh', ['-c', `${editor} "$1"`, 'editor', file], { stdio: 'inherit' })
    const [code] = await once(editing, 'close')
    if (code !== 0) throw new CommandError(`${editor} ended with ${code}; nothing was done.`)
    const text = await readFile(file, 'utf8')
    return text.replace(/^#.*$/gm, '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
