import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../testing/command-stand.ts'
import { withEditedText } from './editor.ts'

/** What the editor writes, what is done with it, and which file the command names. */
async function edit(written: string, use: (text: string) => Promise<void>, editor = 'cp') {
  await using stand = await openCommandStand(() => 'silence')
  const template = join(stand.home, 'written.txt')
  await writeFile(template, written)
  const environment = { ...stand.cli.environment, EDITOR: `${editor} ${template}` }
  const failure = await withEditedText({ ...stand.cli, environment }, '# ours\n', use).catch(
    (error: Error) => error,
  )
  return { failure, file: /kept in (.+)$/.exec(stand.notes.join())?.[1] }
}

const refuse = async () => {
  throw new Error('Refused.')
}

it('keeps what was written when it could not be used, and names the file', async () => {
  const { failure, file = '' } = await edit('0:00 Opening\n# ours\n', refuse)
  expect(failure).toEqual(new Error('Refused.'))
  expect(await readFile(file, 'utf8')).toBe('0:00 Opening\n# ours\n')
  await rm(dirname(file), { recursive: true })
})

it('keeps nothing of what was used, of nothing, and of an editor that failed', async () => {
  const used: string[] = []
  const { file } = await edit('0:00 Opening\n# ours\n', async (text) => void used.push(text))
  expect([used, file]).toEqual([['0:00 Opening\n\n'], undefined])
  expect((await edit('# ours\n', refuse)).file).toBeUndefined()
  const failed = await edit('0:00 Opening\n', refuse, 'false')
  expect([failed.failure, failed.file]).toEqual([
    expect.objectContaining({ message: expect.stringContaining('nothing was done') }),
    undefined,
  ])
})
