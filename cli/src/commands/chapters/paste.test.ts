import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { pasteCommand } from './paste.ts'

it('looks for the video before anybody writes anything', async () => {
  await using stand = await openCommandStand(() => ({ body: { next: null, results: [] } }))
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream
  const pasting = stand.run(() => pasteCommand({ ...stand.cli, stdin }), 'Nowhere')
  await expect(pasting).rejects.toThrow('There is no asset Nowhere.')
}, 5000)
