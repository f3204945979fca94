/** A stand with one small file that is about to be sent, and all that sending it takes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../src/cli.ts'
import { Patience } from '../src/commands/upload/patience.ts'
import { UnfinishedUploads } from '../src/commands/upload/unfinished-uploads.ts'
import { readProfile } from '../src/profile/profile.ts'
import { openCommandStand } from './command-stand.ts'

export async function openParcelStand(answerTo: Parameters<typeof openCommandStand>[0]) {
  const stand = await openCommandStand(answerTo)
  const { environment, interrupted: signal } = stand.cli
  const realPath = join(stand.home, 'film.mp4')
  await writeFile(realPath, 'film')
  const known = { realPath, sizeBytes: 4, modifiedAtMilliseconds: 1 }
  const wish = { resolutions: [], title: 'film', folder: null }
  const profile = await readProfile(environment)
  const { url, organization } = profile
  const notes: string[] = []
  return {
    ...stand,
    notes,
    identity: { url, organization, ...known, wish },
    parcel: {
      file: { path: realPath, ...known, folders: [] },
      wish,
      onSent: () => {},
      onArrived: () => {},
      onNote: (text: string) => void notes.push(text),
    },
    sending: {
      reelkeep: await connect(stand.cli),
      profile,
      memory: new UnfinishedUploads(environment),
      signal,
      patience: new Patience(signal),
    },
  }
}
