import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { Outage } from './outage.ts'
import { uploadCommand } from './upload-command.ts'

it('is told once, and again when something had got through meanwhile', () => {
  const told: string[] = []
  const outage = new Outage((text) => told.push(text))
  const pause = (message: string) => outage.paused({ reason: new Error(message), seconds: 1 })
  outage.sent(0)
  pause('Away.')
  pause('Still away.')
  outage.sent(0)
  pause('Still away.')
  outage.sent(10)
  pause('Away again\u0007.')
  expect(told).toEqual([
    'waits, and is tried again by itself: Away.',
    'waits, and is tried again by itself: Away again .',
  ])
})

it('is told by an upload whose service is away', async () => {
  await using stand = await openCommandStand(() => 'cut')
  const film = join(stand.home, 'film.mp4')
  await writeFile(film, 'film')
  const uploading = stand.run(uploadCommand, film)
  // Tried a second time, it has waited before.
  await expect.poll(() => stand.heard.length).toBeGreaterThan(2)
  stand.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
  const told = stand.notes.filter((note) => note.includes('tried again by itself'))
  expect(told).toEqual([expect.stringContaining('film.mp4: waits')])
})
