import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cli } from '../../cli.ts'
import { CommandError } from '../../exit-codes.ts'

/** Opens the editor and passes the text to `use`, without lines that start with #. Keeps the file if `use` fails. */
export async function withEditedText(cli: Cli, beginning: string, use: (text: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-'))
  const file = join(folder, 'paste.txt')
  let isKept = false
  try {
    const text = await edited(cli, file, beginning)
    isKept = text.trim() !== ''
    await use(text)
    isKept = false
  } finally {
    if (isKept) cli.output().warning(`Your text is saved in ${file}`)
    else await rm(folder, { recursive: true, force: true })
  }
}

async function edited({ environment }: Cli, file: string, beginning: string): Promise<string> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi'
  await writeFile(file, beginning)
  // A shell runs the editor, because the variable may contain arguments. The file name is passed as a separate
  // argument.
  const editing = spawn('sh', ['-c', `${editor} "$1"`, 'editor', file], { stdio: 'inherit' })
  const [code] = await once(editing, 'close')
  if (code !== 0) throw new CommandError(`${editor} exited with ${code}; nothing was changed.`)
  return (await readFile(file, 'utf8')).replace(/^#.*$/gm, '')
}
