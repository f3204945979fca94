import type { FastifyReply } from 'fastify'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { requestLog } from '../../../platform/http/instrumentation/request-log.ts'
import { type PlaybackRequest, sendText } from '../playback-request.ts'
import type { PlaybackFile } from '../playback-urls.rules.ts'
import { type KeyDelivery, readAesKey } from './key-delivery.ts'
import { readContentKey } from './license.ts'

type KeyFile = Extract<PlaybackFile, { kind: 'key' | 'content-key' }>

export const isKey = (file: PlaybackFile): file is KeyFile => file.kind === 'key' || file.kind === 'content-key'

/** Sends a key, by time period or by key id. It must not be cached. */
export async function sendKey(
  ring: KeyRing,
  delivery: KeyDelivery,
  playbackRequest: PlaybackRequest,
  { kind: _, ...name }: KeyFile,
): Promise<FastifyReply> {
  const { viewer, mediaId, db, request, reply } = playbackRequest
  await delivery.count(viewer, reply)
  const key =
    'period' in name
      ? await readAesKey(ring, db, { viewer, mediaId }, name.period)
      : await readContentKey(ring, db, viewer, name.kid)
  if (request.method === 'GET') delivery.audit(viewer, name, requestLog(request))
  reply.header('Content-Type', 'application/octet-stream').header('Cache-Control', 'no-store')
  return sendText(playbackRequest, key)
}
