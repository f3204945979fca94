import { uploadSessions as contract } from '@reelkeep/contract'
import type { AssetId, UploadSessionUuid } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import type { Principal } from '../../platform/http/access/principal.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, type PlaybackBase, route } from '../../platform/http/route.ts'
import { type Asset, failureOf } from '../assets/assets.ts'
import { assetWire } from '../assets/assets.wire.ts'
import { listArrivedParts, signParts } from './parts/upload-parts.ts'
import { shownAssetId } from './upload-sessions.rules.ts'
import {
  cancelSession,
  completeSession,
  createSession,
  listSessions,
  type OpenedSession,
  renewSession,
  reopenSession,
  requireSession,
  type UploadSession,
  type Uploads,
} from './upload-sessions.ts'

export function registerUploadSessionRoutes(api: Api, uploads: Uploads): void {
  route(
    api,
    contract.createUploadSession,
    async ({ db, principal, playbackBase, body, setSubject }) => {
      const protection = body.content_protection_type ?? null
      const opened = await createSession(uploads, db, {
        title: body.title,
        folder: body.folder ?? null,
        resolutions: body.resolutions,
        contentProtection: protection === 'disabled' ? 'disable' : protection,
        generateSubtitle: body.generate_subtitle ?? false,
        description: body.description,
        tags: body.tags,
        externalId: body.external_id,
        metadata: body.metadata,
        fileBytes: body.file_size_bytes,
        fileBytesMax: body.max_file_size_bytes,
        lifetimeSeconds: body.expires_in_seconds,
        hasUploadToken: body.upload_token ?? false,
        tokenId: principal.id,
        tokenExpiresAt: principal.expiresAt,
        hasQuotas: principal.hasQuotas,
      })
      setSubject(opened.asset.id)
      return { ...openedWire(playbackBase)(opened), ...(opened.uploadToken && { upload_token: opened.uploadToken }) }
    },
    // Sign again for a repeated request: the form in the first response may have expired.
    async ({ db, principal, playbackBase, setSubject }, first) => {
      setSubject(first.asset.id as AssetId)
      const uuid = first.upload_session.uuid as UploadSessionUuid
      const opened = await reopenSession(uploads, db, { uuid, tokenExpiresAt: principal.expiresAt })
      return opened ? { ...first, ...openedWire(playbackBase)(opened) } : first
    },
  )

  route(api, contract.listUploadSessions, async ({ db, query, listUrl }) => {
    const page = await listSessions(db, query.status, pageRequestOf(query, isUuidKey))
    return toPage(listUrl, page, toDetails)
  })

  route(api, contract.readUploadSession, async ({ db, params, setSubject }) => {
    const session = await requireSession(db, params.session_uuid as UploadSessionUuid)
    setSubject(shownAssetId(session))
    return toDetails(session)
  })

  route(api, contract.cancelUploadSession, async ({ db, params }) => {
    await cancelSession(db, params.session_uuid as UploadSessionUuid)
  })

  route(api, contract.renewUploadSession, async ({ db, principal, playbackBase, params, setSubject }) => {
    const uuid = params.session_uuid as UploadSessionUuid
    const opened = await renewSession(uploads, db, { uuid, tokenExpiresAt: principal.expiresAt })
    setSubject(opened.asset.id)
    return openedWire(playbackBase)({ ...opened, asset: visibleAsset(principal, opened.asset) })
  })

  route(api, contract.completeUploadSession, async ({ db, principal, playbackBase, params, setSubject }) => {
    const uuid = params.session_uuid as UploadSessionUuid
    const { session, asset } = await completeSession(uploads, db, uuid)
    setSubject(asset.id)
    return { ...toDetails(session), asset: assetWire(playbackBase)(visibleAsset(principal, asset)) }
  })

  registerPartRoutes(api, uploads)
}

function registerPartRoutes(api: Api, uploads: Uploads): void {
  route(api, contract.signUploadParts, async ({ db, principal, params, body, setSubject }) => {
    const { file_size_bytes: fileBytes, numbers } = body
    const input = { fileBytes, numbers, tokenExpiresAt: principal.expiresAt }
    const uuid = params.session_uuid as UploadSessionUuid
    const { plan, session, parts } = await signParts(uploads, db, uuid, input)
    setSubject(shownAssetId(session))
    return {
      part_size_bytes: plan.partBytes,
      part_count: plan.count,
      expires_at: session.expiresAt,
      parts: [...parts],
    }
  })

  route(api, contract.listUploadParts, async ({ db, params }) => {
    const uuid = params.session_uuid as UploadSessionUuid
    const { plan, parts } = await listArrivedParts(uploads, db, uuid)
    return {
      part_size_bytes: plan.partBytes,
      part_count: plan.count,
      file_size_bytes: plan.fileBytes,
      received_bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      parts: [...parts],
    }
  })
}

/** The asset as the caller may see it: for an upload token, without what belongs to the client or plays the video. */
const visibleAsset = ({ uploadSessionUuid }: Principal, asset: Asset): Asset =>
  uploadSessionUuid === undefined ? asset : { ...asset, ...hiddenFromUploader }

const hiddenFromUploader = {
  ...{ description: '', tags: [], externalId: null, metadata: {}, creator: null },
  ...{ playableAt: null, coverKey: null, thumbnailKeys: [], storyboardKey: null, subtitles: [], isWhole: false },
  ...{ filmstripKey: null, waveformKey: null },
}

const toSession = ({ uuid, bytesMax, expiresAt, status }: UploadSession) => ({
  uuid,
  max_file_size_bytes: bytesMax,
  expires_at: expiresAt,
  status,
})

const toDetails = (session: UploadSession): contract.UploadSessionDetails => ({
  ...toSession(session),
  asset_id: shownAssetId(session),
  created_at: session.createdAt,
  ended_at: session.endedAt,
  error: failureOf(session),
})

export const openedWire =
  (playbackBase: PlaybackBase) =>
  ({ asset, session, form, isInPartsOnly }: OpenedSession): contract.NewUploadSession => ({
    asset: assetWire(playbackBase)(asset),
    upload_session: { ...toSession(session), ...(isInPartsOnly && { parts_only: true }) },
    client_payload: { upload_link: form.link, ...form.fields },
  })
