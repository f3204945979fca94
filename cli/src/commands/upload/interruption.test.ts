import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { uploadCommand } from './upload-command.ts'

it('ends while the service is silent about the folder', async () => {
  await using stand = await openCommandStand(() => 'silence')
  const film = join(stand.home, 'film.mp4')
  await writeFile(film, 'film')
  const uploading = stand.run(uploadCommand, film, '--folder', 'Lectures')
  await expect.poll(() => stand.heard).toHaveLength(1)
  stand.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
}, 5000)

it('promises nothing of a file of which nothing is remembered', async () => {
  await using stand = await openCommandStand(() => 'silence')
  const film = join(stand.home, 'film.mp4')
  await writeFile(film, 'film')
  const uploading = stand.run(uploadCommand, film)
  await expect.poll(() => stand.heard).toHaveLength(1)
  stand.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
  expect(stand.notes).toEqual([
    'Stopped with 1 of 1 file not sent. They begin anew when the same command is run again.',
  ])
})
