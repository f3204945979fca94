import type { FastifyInstance } from 'fastify'
import { registerStorageNotifications } from '../../modules/upload-sessions/notifications/storage-notifications.routes.ts'
import type { Context } from './context.ts'

/** Without a secret, storage notifications are not accepted; uploads are then found by polling. */
export function registerNotifications(http: FastifyInstance, context: Context): void {
  const { config, database, uploads, logger } = context
  const { STORAGE_EVENTS_SECRET: secret, STORAGE_UPLOADS_BUCKET: bucket } = config
  if (secret) registerStorageNotifications(http, { database, uploads, bucket, secret, logger })
}
