/** What upload sessions tell. */
import { failureOf } from '../assets/assets.ts'
import { aboutAsset, type NewEvent } from '../events/events.ts'
import type { Status, UploadSession } from './upload-sessions.rules.ts'

type ToldSession = Pick<UploadSession, 'uuid' | 'assetId' | 'errorCode' | 'errorDetail'>

export const sessionCreated = (session: Pick<ToldSession, 'uuid' | 'assetId'>): NewEvent =>
  told('Created', { ...session, errorCode: null, errorDetail: null })

/** How a session ends. One that expired may still be completed. */
export type EndStatus = Exclude<Status, 'Created' | 'Uploading'>

export const sessionEnded = (status: EndStatus, session: ToldSession): NewEvent =>
  told(status, session)

const ofStatus = {
  Created: 'upload_session.created',
  Completed: 'upload_session.completed',
  Expired: 'upload_session.expired',
  Cancelled: 'upload_session.cancelled',
  Failed: 'upload_session.failed',
} as const satisfies Record<EndStatus | 'Created', string>

const told = (status: keyof typeof ofStatus, session: ToldSession): NewEvent =>
  aboutAsset(session.assetId, {
    type: ofStatus[status],
    data: {
      id: session.uuid,
      asset_id: session.assetId,
      status,
      error: failureOf(session),
    },
  })
