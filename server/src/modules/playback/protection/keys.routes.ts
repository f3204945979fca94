import type { FastifyReply } from 'fastify'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { requestLog } from '../../../platform/http/instrumentation/request-log.ts'
import { sendText, type Visitor } from '../playback-request.ts'
import type { PlayAddress } from '../playback-urls.rules.ts'
import { type KeyDelivery, readAesKey } from './key-delivery.ts'
import { readContentKey } from './licence.ts'

type KeyAddress = Extract<PlayAddress, { kind: 'key' | 'content-key' }>

export const isKey = (address: PlayAddress): address is KeyAddress =>
  address.kind === 'key' || address.kind === 'content-key'

/** Sends a key, by time period or by key id. It must not be cached. */
export async function sendKey(
  ring: KeyRing,
  delivery: KeyDelivery,
  visitor: Visitor,
  { kind: _, ...which }: KeyAddress,
): Promise<FastifyReply> {
  const { viewer, db, request, reply } = visitor
  await delivery.count(viewer, request.ip)
  const key =
    'period' in which
      ? await readAesKey(ring, db, viewer, which.period)
      : await readContentKey(ring, db, viewer, which.kid)
  if (request.method === 'GET') delivery.audit(viewer, which, requestLog(request))
  reply.header('Content-Type', 'application/octet-stream').header('Cache-Control', 'no-store')
  return sendText(visitor, key)
}
