import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { uploadCommand } from './upload-command.ts'

/** Number of files, more than the number of parallel uploads. */
const FILES = 12

it('upload --watch uploads further files while earlier ones are processed', async () => {
  const asset = {
    id: 'asset',
    bytes: 4,
    video: { status: 'Processing', progress: 1, renditions: [], playback_url: null },
  }
  await using fixture = await openCommandFixture((call) => {
    if (call === 'POST assets/upload-sessions/')
      return {
        status: 201,
        body: {
          upload_session: { uuid: 'session' },
          client_payload: { upload_link: `${fixture.cli.environment['REELKEEP_URL']}/bucket` },
          asset,
        },
      }
    if (call === 'POST /bucket') return { status: 201, body: null }
    if (call.endsWith('/complete/')) return { body: { asset_id: 'asset', asset } }
    return call === 'GET assets/asset/' ? { body: asset } : 'hang'
  })
  const files = Array.from({ length: FILES }, (_, index) => join(fixture.home, `${index}.mp4`))
  for (const file of files) await writeFile(file, Buffer.alloc(4))
  const uploading = fixture.run(uploadCommand, ...files, '--watch')
  const isSession = (call: string) => call === 'POST assets/upload-sessions/'
  const sessions = () => fixture.requests.filter(isSession)
  await expect.poll(sessions).toHaveLength(FILES)
  fixture.interrupt()
  await expect(uploading).rejects.toThrow('Interrupted.')
})
