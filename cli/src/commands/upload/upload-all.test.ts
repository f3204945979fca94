import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { uploadCommand } from './upload-command.ts'

/** More than hands that send and a handful of eyes. */
const FILES = 12

it('sends file after file while the videos of those before are made', async () => {
  const asset = {
    id: 'asset',
    bytes: 4,
    video: { status: 'Processing', progress: 1, renditions: [], playback_url: null },
  }
  await using stand = await openCommandStand((call) => {
    if (call === 'POST assets/upload-sessions/')
      return {
        status: 201,
        body: {
          upload_session: { uuid: 'session' },
          client_payload: { upload_link: `${stand.cli.environment['REELKEEP_URL']}/bucket` },
          asset,
        },
      }
    if (call === 'POST /bucket') return { status: 201, body: null }
    if (call.endsWith('/complete/')) return { body: { asset_id: 'asset', asset } }
    return call === 'GET assets/asset/' ? { body: asset } : 'silence'
  })
  const files = Array.from({ length: FILES }, (_, index) => join(stand.home, `${index}.mp4`))
  for (const file of files) await writeFile(file, 'film')
  const uploading = stand.run(uploadCommand, ...files, '--watch')
  const isSession = (call: string) => call === 'POST assets/upload-sessions/'
  const sessions = () => stand.heard.filter(isSession)
  await expect.poll(sessions, { timeout: 40_000 }).toHaveLength(FILES)
  stand.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
})
