/** Upload sessions for further versions of an asset. */
import { type AssetId, newUploadSessionUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { currentTraceparent } from '../../platform/observability/tracing.ts'
import { lockAsset, lockBeforeDeletion, requireAsset } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { assertRoomForVersion, lockQuotas } from '../quotas/quotas.ts'
import { newUploadToken } from '../tokens/tokens.ts'
import { addVersion, type Version } from '../versions/versions.ts'
import { sessionCreated } from './upload-sessions.events.ts'
import { bytesMaxFor, formLifetimeMax, lifetimeFor } from './upload-sessions.rules.ts'
import * as store from './upload-sessions.store.ts'
import { type OpenedSession, open, type SessionOptions } from './upload-sessions.ts'
import type { Uploads } from './uploads.ts'

export type OpenedVersion = OpenedSession & { readonly version: Version }

export function createVersionSession(
  uploads: Uploads,
  db: OrganizationDb,
  id: AssetId,
  input: SessionOptions,
): Promise<OpenedVersion> {
  const { limits } = uploads
  const bytesMax = bytesMaxFor(input, limits)
  const settings = { formSecondsMax: formLifetimeMax(limits) }
  return db.transaction(async (tx) => {
    await lockBeforeDeletion(tx)
    // With the handle that does not see the trash: the asset may be moved there until it is locked.
    await lockAsset(tx, id)
    const uploadToken = input.hasUploadToken ? await newUploadToken(tx, input.tokenId) : undefined
    const bytesLeft = input.hasQuotas ? assertRoomForVersion(await lockQuotas(tx), input.fileBytes) : bytesMax
    return tx.withTrash(async (all) => {
      const added = await addVersion(all, id, { createdBy: input.tokenId, settings })
      const uuid = newUploadSessionUuid()
      const [[session]] = await all.run(
        store.insertForAsset({
          ...{ uuid, assetId: added.mediaId, bytesMax: Math.min(bytesMax, bytesLeft), ...limits },
          chosenLifetimeSeconds: lifetimeFor(input.lifetimeSeconds, limits),
          uploadTokenHash: uploadToken?.hash ?? null,
          uploadTokenGrantedBy: uploadToken?.grantedBy ?? null,
          traceparent: currentTraceparent() ?? null,
        }),
      )
      if (!session) throw new Error('The session of a new version was not inserted')
      await recordEvents(all, sessionCreated(session))
      const asset = await requireAsset(all, id)
      const opened = await open(uploads, all, { asset, session, tokenExpiresAt: input.tokenExpiresAt })
      return { ...opened, uploadToken: uploadToken?.text, version: { ...added, uploadSessionUuid: uuid } }
    })
  })
}
