import type { FastifyInstance } from 'fastify'
import { registerStorageNotifications } from '../../modules/upload-sessions/notifications/storage-notifications.routes.ts'
import type { Context } from './context.ts'

/**
 * Registers the endpoint for storage notifications. Without a secret they are not accepted, and uploads are found by
 * polling.
 */
export function registerNotifications(http: FastifyInstance, context: Context): void {
  const { config, database, uploads, logger } = context
  const { STORAGE_EVENTS_SECRET: secret, STORAGE_UPLOADS_BUCKET: bucket } = config
  if (secret) registerStorageNotifications(http, { database, uploads, bucket, secret, logger })
}
