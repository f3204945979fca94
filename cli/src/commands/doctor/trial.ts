import { type NewUploadSession, Reelkeep } from 'reelkeep'
import type { Patient } from './patient.ts'
import { trialVideo } from './trial-video.ts'

/** Whoever sees it in a list knows whose it is, should it ever stay. */
const TITLE = 'Trial of reelkeep doctor'

/** A session of our own, whose asset is deleted in the end. */
export async function openTrial({ profile, made }: Patient): Promise<NewUploadSession> {
  // Not to be broken off half way: a trial that was made must be known, or nobody deletes it.
  const { uploadSessions } = new Reelkeep(profile)
  const created = await uploadSessions.create({
    title: TITLE,
    resolutions: ['240p'],
    file_size_bytes: trialVideo.length,
  })
  made.push(created.asset.id)
  return created
}

/** Answers those that could not be deleted. */
export async function deleteTrials(reelkeep: Reelkeep, made: readonly string[]): Promise<string[]> {
  const left: string[] = []
  for (const id of made) await reelkeep.assets.delete(id).catch(() => left.push(id))
  return left
}
