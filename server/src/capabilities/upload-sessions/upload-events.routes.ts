/**
 * Where storage says that an object has arrived. On the operations port, which only the operator's network
 * reaches; storage cannot sign what it sends, so the address itself holds a secret.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../platform/db/database.ts'
import { type ObjectCreated, readRadosgwEvents } from '../../platform/storage/events.ts'
import { parseUploadKey } from './upload-sessions.rules.ts'
import { settle, type Uploads } from './upload-settling.ts'

const PATH = '/storage-events/'

export const storageEventsPath = (secret: string) => `${PATH}${secret}/`

export type StorageEventsOptions = {
  readonly database: Database
  readonly uploads: Uploads
  readonly bucket: string
  readonly secret: string
}

export function registerStorageEvents(http: FastifyInstance, options: StorageEventsOptions): void {
  http.post<{ Params: { secret: string } }>(`${PATH}:secret/`, async (request, reply) => {
    if (!isSame(request.params.secret, options.secret)) return reply.status(404).send()
    const events = readRadosgwEvents(request.body)
    if (!events) return reply.status(400).send()
    // An event that fails is sent again by storage, and with it the whole message: looking twice is harmless.
    for (const event of events) await look(options, event)
    return reply.status(204).send()
  })
}

async function look({ database, uploads, bucket }: StorageEventsOptions, event: ObjectCreated) {
  const upload = event.bucket === bucket ? parseUploadKey(event.key) : undefined
  if (!upload) return
  const db = database.forOrganization(upload.organizationId)
  await settle(uploads, db, upload.uuid, 'notification')
}

function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}
