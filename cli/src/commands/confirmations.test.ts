/** Without a terminal, destructive commands require --yes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../testing/command-fixture.ts'
import { buildProgram } from '../program.ts'

const asset = '00000000-0000-4000-8000-000000000000'

it.each([
  ['chapters', 'delete', asset, '1'],
  ['chapters', 'import', asset, 'FILE', '--replace'],
  ['subtitles', 'delete', asset, 'id'],
  ['sessions', 'cancel', 'uuid'],
  ['access-tokens', 'revoke', asset, 'id'],
  ['access-tokens', 'revoke-all'],
  ['signing-keys', 'delete', 'id'],
])('%s %s requires --yes', async (...words) => {
  await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
  const file = join(fixture.home, 'chapters.txt')
  await writeFile(file, '0:00 Opening\n')
  const args = words.map((word) => (word === 'FILE' ? file : word))
  await expect(fixture.run(buildProgram, ...args)).rejects.toMatchObject({
    exitCode: 2,
    next: 'To confirm, use --yes.',
  })
  expect(fixture.requests).toEqual([])
  await fixture.run(buildProgram, ...args, '--yes')
  expect(fixture.requests).toHaveLength(1)
})

it('chapters import requires no confirmation without --replace', async () => {
  await using fixture = await openCommandFixture(() => ({ body: { results: [] } }))
  const file = join(fixture.home, 'chapters.txt')
  await writeFile(file, '0:00 Opening\n')
  await fixture.run(buildProgram, 'chapters', 'import', asset, file)
  expect(fixture.requests).toHaveLength(1)
})
