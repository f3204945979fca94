/** A command fixture with one small file that is ready to be uploaded. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../src/cli.ts'
import { UnfinishedUploads } from '../src/commands/upload/files/unfinished-uploads.ts'
import { RetryPolicy } from '../src/commands/upload/retry-policy.ts'
import { readProfile } from '../src/profile/profile.ts'
import { openCommandFixture } from './command-fixture.ts'

export async function openFileUploadFixture(respondTo: Parameters<typeof openCommandFixture>[0]) {
  const fixture = await openCommandFixture(respondTo)
  const { environment, interrupted: signal } = fixture.cli
  const realPath = join(fixture.home, 'film.mp4')
  await writeFile(realPath, 'film')
  const fileProperties = { realPath, sizeBytes: 4, modifiedAtMilliseconds: 1 }
  const settings = { resolutions: [], title: 'film', folder: null }
  const profile = await readProfile(environment)
  const { url, organization } = profile
  const notes: string[] = []
  return {
    ...fixture,
    notes,
    identity: { url, organization, ...fileProperties, settings },
    upload: {
      file: { path: realPath, ...fileProperties, folders: [] },
      settings,
      onSent: () => {},
      onArrived: () => {},
      onNote: (text: string) => void notes.push(text),
    },
    context: {
      reelkeep: await connect(fixture.cli),
      profile,
      unfinishedUploads: new UnfinishedUploads(environment),
      signal,
      retryPolicy: new RetryPolicy(signal),
    },
  }
}
