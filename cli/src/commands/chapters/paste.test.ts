import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { pasteCommand } from './paste.ts'

it('chapters paste resolves the asset before it opens the editor', async () => {
  await using fixture = await openCommandFixture(() => ({ body: { next: null, results: [] } }))
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream
  const pasting = fixture.run(() => pasteCommand({ ...fixture.cli, stdin }), 'Nowhere')
  await expect(pasting).rejects.toThrow('No such asset: Nowhere.')
})
