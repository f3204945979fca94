/**
 * Where storage says that an object has arrived. On the operations port, which only the operator's network
 * reaches; storage cannot sign what it sends, so the address itself holds a secret.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../platform/db/database.ts'
import { isHeld } from '../../platform/db/held.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { type ObjectCreated, readRadosgwEvents } from '../../platform/storage/events.ts'
import { STORAGE_EVENTS_PATH } from './upload-events.rules.ts'
import { parseUploadKey } from './upload-sessions.rules.ts'
import { settle } from './upload-settling.ts'
import type { Uploads } from './uploads.ts'

export type StorageEventsOptions = {
  readonly database: Database
  readonly uploads: Uploads
  readonly bucket: string
  readonly secret: string
  readonly logger: Logger
}

export function registerStorageEvents(http: FastifyInstance, options: StorageEventsOptions): void {
  const { logger, secret } = options
  const { countEvents } = options.uploads.metrics
  http.post<{ Params: { secret: string } }>(
    `${STORAGE_EVENTS_PATH}:secret/`,
    async (request, reply) => {
      const events = isSame(request.params.secret, secret) && readRadosgwEvents(request.body)
      if (!events) {
        countEvents('refused')
        logger.warn('a storage event was refused: its secret or its form is not ours')
        return reply.status(events === false ? 404 : 400).send()
      }
      let key = ''
      try {
        for (const event of events) {
          key = event.key
          await look(options, event)
        }
        countEvents('taken')
        return await reply.status(204).send()
      } catch (err) {
        // Storage sends the whole message again: looking twice is harmless.
        countEvents('failed')
        const facts = parseUploadKey(key) ? factsOf(key) : {}
        logger.warn(
          { err, ...facts },
          'a storage event could not be followed; storage sends it again',
        )
        return await reply.status(503).send()
      }
    },
  )
}

/** A key of ours begins with them. */
function factsOf(key: string) {
  const [organization_id, asset_id] = key.split('/')
  return { organization_id, asset_id }
}

async function look({ database, uploads, bucket }: StorageEventsOptions, event: ObjectCreated) {
  const upload = event.bucket === bucket ? parseUploadKey(event.key) : undefined
  if (!upload) return
  const db = database.forOrganization(upload.organizationId)
  await settle(uploads, db, upload.uuid, 'notification').catch((error: unknown) => {
    // The sweep looks at it once its organization is released; until then storage need not send anything again.
    if (!isHeld(error)) throw error
  })
}

function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
