/** Delivers the keys of videos protected with AES-128 to viewers who may play them. */
import type { FastifyReply } from 'fastify'
import { retryLater } from '../../../kernel/errors.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { openCounter } from '../../../platform/http/access/rate-limits/rate-limit.ts'
import { clientNetwork } from '../../../platform/network/client-network.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import { segmentsOf } from '../../assets/assets.ts'
import { aesKeys, KeyUnavailable, SEGMENTS_PER_KEY_PERIOD } from '../../content-keys/content-keys.ts'
import type { Viewer } from '../../playback-tokens/playback-tokens.ts'
import { nothingToPlay } from '../playback.rules.ts'
import { findKeyState } from '../playback.store.ts'
import type { PlaybackRequest } from '../playback-request.ts'
import { assertMayPlay } from './protected-viewing.rules.ts'

/**
 * Maximum number of keys per viewer and minute. A key covers a minute of video, so a viewer who seeks a lot needs a few
 * dozen.
 */
const KEYS_PER_VIEWER_AND_MINUTE = 240
/** Maximum number of keys per IP address and minute. A whole school may share one address. */
const KEYS_PER_IP_AND_MINUTE = 3000

/** One in this many key deliveries is logged. */
const AUDITED_ONE_IN = 100

const RETRY_SECONDS = 30

/** Identifies a key of a video by its time period or by its key id. */
type KeyName = { readonly period: number } | { readonly kid: string }

type Log = Pick<Logger, 'info' | 'error'>

/** Reads a 16-byte key by its time period. */
export async function readAesKey(
  ring: KeyRing,
  db: OrganizationDb,
  { viewer, mediaId }: Pick<PlaybackRequest, 'viewer' | 'mediaId'>,
  period: number,
): Promise<Buffer> {
  const { assetId } = viewer
  const state = await findKeyState(db, { assetId, mediaId })
  if (!state) throw nothingToPlay()
  assertMayPlay(state, viewer)
  const { start, end } = state.range ? segmentsOf(state.range) : { start: 0, end: state.segmentsTotal }
  const hasPeriod = period * SEGMENTS_PER_KEY_PERIOD < end && (period + 1) * SEGMENTS_PER_KEY_PERIOD > start
  if (state.contentProtection !== 'aes' || !hasPeriod) throw nothingToPlay()
  return (await aesKeys(ring, db, { id: mediaId })).keyOfPeriod(period)
}

export type KeyDelivery = ReturnType<typeof openKeyDelivery>

/** Limits and logs key deliveries. Like all rate limits, these limits apply to each process. */
export function openKeyDelivery() {
  const viewers = openCounter({ name: 'keys-per-viewer', perMinute: KEYS_PER_VIEWER_AND_MINUTE })
  const ips = openCounter({ name: 'keys-per-address', perMinute: KEYS_PER_IP_AND_MINUTE })
  let delivered = 0
  return {
    /** Counts a key delivery. Throws above the limit. */
    count: async ({ organizationId, token }: Viewer, reply: FastifyReply): Promise<void> => {
      await ips(clientNetwork(reply.request.ip), reply)
      const id = token === 'open' ? undefined : token.viewer
      if (id !== undefined) await viewers(`${organizationId}/${id}`, reply)
    },
    /** Logs a sample of deliveries for operators, without the key. */
    audit: ({ organizationId, assetId, token }: Viewer, key: KeyName, log: Log): void => {
      if (delivered++ % AUDITED_ONE_IN > 0) return
      const viewer = (token !== 'open' && token.viewer) || null
      const logFields = {
        organization_id: organizationId,
        asset_id: assetId,
        viewer,
        ...key,
        delivered,
      }
      log.info({ ...logFields, one_in: AUDITED_ONE_IN }, 'key delivered')
    },
  }
}

/** Logs an unavailable key for the operator and returns an error with `Retry-After`. */
export function toUnavailable(error: unknown, log: Log): unknown {
  if (!(error instanceof KeyUnavailable)) return error
  log.error({ err: error }, 'failed to read the keys of a video')
  const detail = `The keys of this video are temporarily unavailable. Retry in ${RETRY_SECONDS} seconds.`
  return retryLater('unavailable', detail, RETRY_SECONDS)
}
