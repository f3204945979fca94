import type { uploadSessions } from '@reelkeep/contract'
import { noteProbed, requireAsset } from '@reelkeep/server/capabilities/assets/assets.ts'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import type { Caller } from './caller.ts'
import { type StackEnv, stackEnv } from './stack.ts'
import { openSession } from './upload.ts'
import { openOwner } from './world.ts'

type Video = {
  readonly durationSeconds: number
  /** As they stand in the file. */
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[]
}

/** An asset of which it is known how long its video is, without a file that somebody looked into. */
export async function probedAsset(
  caller: Caller,
  { durationSeconds = 600, chapters = [] }: Partial<Video> = {},
  env: StackEnv = stackEnv(),
): Promise<uploadSessions.NewUploadSession> {
  const opened = await openSession(caller)
  await using owner = openOwner(env)
  const db = owner.forOrganization(caller.organizationId as OrganizationId)
  const asset = await requireAsset(db, opened.asset.id as AssetId)
  const probed = { durationSeconds, width: 64, height: 48, chapters }
  await noteProbed(db, asset, probed, 'Looked into by a test.')
  return opened
}
