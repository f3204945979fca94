/** What cannot be taken back is not done where nobody can be asked, unless it is said to be meant. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../testing/command-stand.ts'
import { buildProgram } from '../program.ts'

const asset = '00000000-0000-4000-8000-000000000000'

it.each([
  ['chapters', 'delete', asset, '1'],
  ['chapters', 'import', asset, 'FILE', '--replace'],
  ['subtitles', 'delete', asset, 'id'],
  ['sessions', 'cancel', 'uuid'],
  ['access-tokens', 'revoke', asset, 'id'],
  ['signing-keys', 'delete', 'id'],
])('%s %s', async (...words) => {
  await using stand = await openCommandStand(() => ({ body: { results: [] } }))
  const file = join(stand.home, 'chapters.txt')
  await writeFile(file, '0:00 Opening\n')
  const args = words.map((word) => (word === 'FILE' ? file : word))
  await expect(stand.run(buildProgram, ...args)).rejects.toMatchObject({
    exitCode: 2,
    next: 'Say that you mean it: --yes',
  })
  expect(stand.heard).toEqual([])
  await stand.run(buildProgram, ...args, '--yes')
  expect(stand.heard).toHaveLength(1)
})

it('chapters import asks nothing where nothing is taken away', async () => {
  await using stand = await openCommandStand(() => ({ body: { results: [] } }))
  const file = join(stand.home, 'chapters.txt')
  await writeFile(file, '0:00 Opening\n')
  await stand.run(buildProgram, 'chapters', 'import', asset, file)
  expect(stand.heard).toHaveLength(1)
})
