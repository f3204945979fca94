import type { uploadSessions } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { requireAsset, saveProbed } from '@reelkeep/server/modules/assets/assets.ts'
import type { Caller } from '../caller.ts'
import { type StackEnv, stackEnv } from '../processes/stack.ts'
import { openSession } from '../storage/upload.ts'
import { openOwner } from '../test-api.ts'

type Video = {
  readonly durationSeconds: number
  /** The chapters embedded in the file. */
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[]
}

/** Creates an asset with a known duration, without uploading or probing a file. */
export async function probedAsset(
  caller: Caller,
  { durationSeconds = 600, chapters = [] }: Partial<Video> = {},
  env: StackEnv = stackEnv(),
): Promise<uploadSessions.NewUploadSession> {
  const opened = await openSession(caller)
  await using owner = openOwner(env)
  const db = owner.forOrganization(caller.organizationId as OrganizationId)
  const asset = await requireAsset(db, opened.asset.id as AssetId)
  const probed = { durationSeconds, width: 64, height: 48, frameRate: null, chapters }
  await saveProbed(db, asset, probed, 'Probed by a test.')
  return opened
}
