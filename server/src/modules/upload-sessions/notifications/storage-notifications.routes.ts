/**
 * Receives storage's notifications about new objects. The route is on the operations port, which only the operator's
 * network reaches. Storage cannot sign its requests, so the URL contains a secret.
 */
import type { FastifyInstance } from 'fastify'
import { isSecret } from '../../../platform/crypto/is-secret.ts'
import type { Database } from '../../../platform/db/database.ts'
import { isSuspended } from '../../../platform/db/suspension.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import { type ObjectCreated, readRadosgwEvents } from '../../../platform/storage/notification-message.ts'
import { acceptFile } from '../upload-finalization.ts'
import { parseUploadKey } from '../upload-sessions.rules.ts'
import type { Uploads } from '../uploads.ts'
import { STORAGE_NOTIFICATIONS_PATH } from './storage-notifications.rules.ts'

export type StorageNotificationOptions = {
  readonly database: Database
  readonly uploads: Uploads
  readonly bucket: string
  readonly secret: string
  readonly logger: Logger
}

export function registerStorageNotifications(http: FastifyInstance, options: StorageNotificationOptions): void {
  const { logger, secret } = options
  const { countNotifications } = options.uploads.metrics
  http.post<{ Params: { secret: string } }>(`${STORAGE_NOTIFICATIONS_PATH}:secret/`, async (request, reply) => {
    const events = isSecret(request.params.secret, secret) && readRadosgwEvents(request.body)
    if (!events) {
      countNotifications('refused')
      logger.warn('storage notification refused: wrong secret or format')
      return reply.status(events === false ? 404 : 400).send()
    }
    let key = ''
    try {
      for (const event of events) {
        key = event.key
        await checkUpload(options, event)
      }
      countNotifications('accepted')
      return await reply.status(204).send()
    } catch (err) {
      // After an error, storage sends the whole message again; checking a session twice is harmless.
      countNotifications('failed')
      const logFields = parseUploadKey(key) ? logFieldsOf(key) : {}
      logger.warn({ err, ...logFields }, 'failed to process storage notification; storage will retry')
      return await reply.status(503).send()
    }
  })
}

/** Storage keys start with the organization id and the asset id. */
function logFieldsOf(key: string) {
  const [organization_id, asset_id] = key.split('/')
  return { organization_id, asset_id }
}

async function checkUpload({ database, uploads, bucket }: StorageNotificationOptions, event: ObjectCreated) {
  const upload = event.bucket === bucket ? parseUploadKey(event.key) : undefined
  if (!upload) return
  const db = database.forOrganization(upload.organizationId)
  try {
    await acceptFile(uploads, db, upload.uuid)
  } catch (error) {
    // The sweep checks the session after the suspension, so storage need not retry.
    if (!isSuspended(error)) throw error
  }
}
