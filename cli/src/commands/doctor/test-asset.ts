import { type NewUploadSession, Reelkeep } from 'reelkeep'
import type { DoctorContext } from './context.ts'
import { testVideo } from './test-video.ts'

/** A recognizable title, in case the asset is not deleted. */
const TITLE = 'reelkeep doctor test video'

/** Creates an upload session whose asset is deleted at the end. */
export async function createTestAsset({ profile, createdAssets }: DoctorContext): Promise<NewUploadSession> {
  // Ctrl-C does not abort this client: once the asset is created, its id is needed to delete it.
  const { uploadSessions } = new Reelkeep(profile)
  const created = await uploadSessions.create({
    title: TITLE,
    resolutions: ['240p'],
    file_size_bytes: testVideo.length,
  })
  createdAssets.push(created.asset.id)
  return created
}

/** Deletes the test assets. Returns the ids of assets that could not be deleted. */
export async function deleteTestAssets(reelkeep: Reelkeep, createdAssets: readonly string[]): Promise<string[]> {
  const left: string[] = []
  for (const id of createdAssets) await reelkeep.assets.delete(id, { permanently: true }).catch(() => left.push(id))
  return left
}
