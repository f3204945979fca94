import type { FastifyInstance } from 'fastify'
import { registerStorageEvents } from '../capabilities/upload-sessions/upload-events.routes.ts'
import type { Context } from './context.ts'

/** Without a secret storage's notifications are not taken; uploads are then found by looking. */
export function takeStorageEvents(http: FastifyInstance, context: Context): void {
  const { config, database, uploads, logger } = context
  const { STORAGE_EVENTS_SECRET: secret, STORAGE_UPLOADS_BUCKET: bucket } = config
  if (secret) registerStorageEvents(http, { database, uploads, bucket, secret, logger })
}
