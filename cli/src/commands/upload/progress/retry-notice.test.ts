import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../../testing/command-fixture.ts'
import { uploadCommand } from '../upload-command.ts'
import { RetryNotice } from './retry-notice.ts'

it('RetryNotice reports a delay once, and again only after progress', () => {
  const notes: string[] = []
  const retryNotice = new RetryNotice((text) => notes.push(text))
  const pause = (message: string) => retryNotice.paused({ reason: new Error(message), seconds: 1 })
  retryNotice.sent(0)
  pause('Away.')
  pause('Still away.')
  retryNotice.sent(0)
  pause('Still away.')
  retryNotice.sent(10)
  pause('Away again\u0007.')
  expect(notes).toEqual(['waiting to retry: Away.', 'waiting to retry: Away again .'])
})

it('an upload reports that the service is unavailable', async () => {
  await using fixture = await openCommandFixture(() => 'disconnect')
  const film = join(fixture.home, 'film.mp4')
  await writeFile(film, Buffer.alloc(4))
  const uploading = fixture.run(uploadCommand, film)
  await expect.poll(() => fixture.requests.length).toBeGreaterThan(2)
  fixture.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
  const notes = fixture.notes.filter((note) => note.includes('waiting to retry'))
  expect(notes).toEqual([expect.stringContaining('film.mp4: waiting')])
})
