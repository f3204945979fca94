/** Events about upload sessions. */
import { failureOf } from '../assets/assets.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import { type Status, shownAssetId, type UploadSession } from './upload-sessions.rules.ts'

type SessionSummary = Pick<UploadSession, 'uuid' | 'assetId' | 'versionOfId' | 'errorCode' | 'errorDetail'>

export const sessionCreated = (session: Pick<SessionSummary, 'uuid' | 'assetId' | 'versionOfId'>): NewEvent =>
  sessionEvent('Created', { ...session, errorCode: null, errorDetail: null })

/** Final statuses. An expired session may still be completed. */
export type EndStatus = Exclude<Status, 'Created' | 'Uploading'>

export const sessionEnded = (status: EndStatus, session: SessionSummary): NewEvent => sessionEvent(status, session)

const eventTypeOfStatus = {
  Created: 'upload_session.created',
  Completed: 'upload_session.completed',
  Expired: 'upload_session.expired',
  Cancelled: 'upload_session.cancelled',
  Failed: 'upload_session.failed',
} as const satisfies Record<EndStatus | 'Created', string>

const sessionEvent = (status: keyof typeof eventTypeOfStatus, session: SessionSummary): NewEvent =>
  aboutAsset(shownAssetId(session), {
    type: eventTypeOfStatus[status],
    data: {
      uuid: session.uuid,
      asset_id: shownAssetId(session),
      status,
      error: failureOf(session),
    },
  })
