/** Stores the image of a request for a cover. Attempts at the same request may overlap, and write the same object. */
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type CoverRequest, customCoverKey, findAsset, publishCover } from '../../assets/assets.ts'
import type { PipelineDeps } from '../attempt.ts'

type CoverDeps = Pick<PipelineDeps, 'media'>
type CoverAttempt = Pick<Attempt<CoverRequest>, 'db' | 'input' | 'signal'>

/** Stores the image and makes it the cover, unless its request has ended. */
export async function storeCover(
  { media }: CoverDeps,
  attempt: CoverAttempt,
  { image, detail }: { readonly image: Buffer; readonly detail: string },
): Promise<void> {
  const { db, input, signal } = attempt
  const key = keyOf(db, input)
  const stored = await media.putVerified({ key, body: image, type: 'image/jpeg' }, signal)
  if (!(await publishCover(db, input, { cover: { key, ...stored }, detail }))) await deleteUnused({ media }, attempt)
}

/**
 * Deletes the image of a request that has ended, unless it is the cover: another attempt at the same job may have
 * published it. A request that has ended publishes nothing later.
 */
export async function deleteUnused(
  { media }: CoverDeps,
  { db, input }: Pick<CoverAttempt, 'db' | 'input'>,
): Promise<void> {
  const key = keyOf(db, input)
  const asset = await findAsset(db, input.assetId)
  if (asset?.coverRequest !== input.request && asset?.customCoverKey !== key) await media.deleteAll(key)
}

const keyOf = ({ organizationId }: OrganizationDb, { assetId, request }: CoverRequest) =>
  customCoverKey(organizationId, assetId, request)
