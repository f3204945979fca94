import { versions as contract } from '@reelkeep/contract'
import type { AssetId, UploadSessionUuid } from '../../kernel/ids.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toVersion } from '../versions/versions.wire.ts'
import { openedWire } from './upload-sessions.routes.ts'
import { reopenSession, type Uploads } from './upload-sessions.ts'
import { createVersionSession } from './version-uploads.ts'

export function registerVersionUploadRoutes(api: Api, uploads: Uploads): void {
  route(
    api,
    contract.createVersion,
    async ({ db, principal, playbackBase, params, body }) => {
      const { version, uploadToken, ...opened } = await createVersionSession(uploads, db, params.asset_id as AssetId, {
        fileBytes: body.file_size_bytes,
        fileBytesMax: body.max_file_size_bytes,
        lifetimeSeconds: body.expires_in_seconds,
        hasUploadToken: body.upload_token ?? false,
        tokenId: principal.id,
        tokenExpiresAt: principal.expiresAt,
        hasQuotas: principal.hasQuotas,
      })
      return {
        ...openedWire(playbackBase)(opened),
        version: toVersion(version),
        ...(uploadToken && { upload_token: uploadToken }),
      }
    },
    // Sign again for a repeated request: the form in the first response may have expired.
    async ({ db, principal, playbackBase }, first) => {
      const uuid = first.upload_session.uuid as UploadSessionUuid
      const opened = await reopenSession(uploads, db, { uuid, tokenExpiresAt: principal.expiresAt })
      return opened ? { ...first, ...openedWire(playbackBase)(opened) } : first
    },
  )
}
