import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { uploadCommand } from './upload-command.ts'

it('Ctrl-C ends the upload while the folder is being resolved', async () => {
  await using fixture = await openCommandFixture(() => 'hang')
  const film = join(fixture.home, 'film.mp4')
  await writeFile(film, Buffer.alloc(4))
  const uploading = fixture.run(uploadCommand, film, '--folder', 'Lectures')
  await expect.poll(() => fixture.requests).toHaveLength(1)
  fixture.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
})

it('Ctrl-C does not offer to resume if nothing was saved', async () => {
  await using fixture = await openCommandFixture(() => 'hang')
  const film = join(fixture.home, 'film.mp4')
  await writeFile(film, Buffer.alloc(4))
  const uploading = fixture.run(uploadCommand, film)
  await expect.poll(() => fixture.requests).toHaveLength(1)
  fixture.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
  expect(fixture.notes).toEqual(['Stopped. 1 of 1 file not uploaded. Run the same command again to upload the rest.'])
})
