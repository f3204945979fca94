import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { withEditedText } from './editor.ts'

/** Runs an editor that writes `written`. Returns the error and the file named in the output. */
async function edit(written: string, use: (text: string) => Promise<void>, editor = 'cp') {
  await using fixture = await openCommandFixture(() => 'hang')
  const template = join(fixture.home, 'written.txt')
  await writeFile(template, written)
  const environment = { ...fixture.cli.environment, EDITOR: `${editor} ${template}` }
  const failure = await withEditedText({ ...fixture.cli, environment }, '# ours\n', use).catch((error: Error) => error)
  return { failure, file: /saved in (.+)$/.exec(fixture.notes.join())?.[1] }
}

const refuse = async () => {
  throw new Error('Refused.')
}

it('withEditedText keeps the file and prints its path if its text could not be used', async () => {
  const { failure, file = '' } = await edit('0:00 Opening\n# ours\n', refuse)
  expect(failure).toEqual(new Error('Refused.'))
  expect(await readFile(file, 'utf8')).toBe('0:00 Opening\n# ours\n')
  await rm(dirname(file), { recursive: true })
})

it('withEditedText removes the file if its text was used, is empty, or the editor failed', async () => {
  const used: string[] = []
  const { file } = await edit('0:00 Opening\n# ours\n', async (text) => void used.push(text))
  expect([used, file]).toEqual([['0:00 Opening\n\n'], undefined])
  expect((await edit('# ours\n', refuse)).file).toBeUndefined()
  const failed = await edit('0:00 Opening\n', refuse, 'false')
  expect([failed.failure, failed.file]).toEqual([
    expect.objectContaining({ message: expect.stringContaining('nothing was changed') }),
    undefined,
  ])
})
