import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCommandStand, refusal } from '../../../testing/command-stand.ts'
import { connect } from '../../cli.ts'
import { readProfile } from '../../profile/profile.ts'
import { Patience } from './patience.ts'
import { sendFile } from './send-file.ts'
import { UnfinishedUploads } from './unfinished-uploads.ts'

it('begins anew when the asset of what was sent before has been deleted', async () => {
  await using stand = await openCommandStand((call) => {
    if (call === 'GET assets/upload-sessions/old/') return { body: { status: 'Completed' } }
    if (call === 'GET assets/upload-sessions/old/parts/') return refusal(409, 'not_in_parts')
    if (call === 'POST assets/upload-sessions/old/complete/')
      return { body: { status: 'Completed', asset_id: 'gone' } }
    if (call === 'GET assets/gone/') return refusal(404, 'asset_not_found')
    return refusal(403, 'begun_anew')
  })
  const path = join(stand.home, 'film.mp4')
  await writeFile(path, 'film')
  const file = { path, realPath: path, sizeBytes: 4, modifiedAtMilliseconds: 1, folders: [] }
  const wish = { resolutions: [], title: 'film', folder: null }
  const profile = await readProfile(stand.cli.environment)
  const memory = new UnfinishedUploads(stand.cli.environment)
  const { url, organization } = profile
  const identity = {
    url,
    organization,
    realPath: path,
    sizeBytes: 4,
    modifiedAtMilliseconds: 1,
    wish,
  }
  await memory.remember(identity, { sessionUuid: 'old' })
  const notes: string[] = []
  const sending = sendFile(
    { file, wish, onSent: () => {}, onArrived: () => {}, onNote: (text) => notes.push(text) },
    {
      ...{ reelkeep: await connect(stand.cli), profile, memory },
      ...{ signal: stand.cli.interrupted, patience: new Patience(stand.cli.interrupted) },
    },
  )
  await expect(sending).rejects.toMatchObject({ code: 'begun_anew' })
  expect(notes.at(-1)).toBe('cannot go on with what was sent before; it begins anew.')
  expect(await memory.find(identity)).toBeUndefined()
})
