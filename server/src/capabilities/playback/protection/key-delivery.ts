/** The keys of videos that are protected with AES-128, for those who may play them. */
import { notNow } from '../../../kernel/errors.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { openCounter } from '../../../platform/http/rate-limit.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import type { Viewer } from '../../access-tokens/access-tokens.ts'
import { aesKeys, KeyUnavailable, SEGMENTS_IN_A_PERIOD } from '../../content-keys/content-keys.ts'
import { nothingToPlay } from '../playback.rules.ts'
import { findKeyState } from '../playback.store.ts'
import { assertMayPlay } from './protected-viewing.rules.ts'

/** Of a minute of video each: somebody who jumps about in it needs a few dozen. */
const KEYS_PER_VIEWER_AND_MINUTE = 240
/** Behind one address there may be a school. */
const KEYS_PER_ADDRESS_AND_MINUTE = 3000

/** So many deliveries leave one line in the log. */
const AUDITED_ONE_IN = 100

const RETRY_SECONDS = 30

/** Which of a video's keys: of a stretch of time, or by its id. */
type KeyName = { readonly period: number } | { readonly kid: string }

type Log = Pick<Logger, 'info' | 'error'>

/** 16 bytes. */
export async function readAesKey(
  ring: KeyRing,
  db: OrganizationDb,
  viewer: Viewer,
  period: number,
): Promise<Buffer> {
  const { assetId } = viewer
  const state = await findKeyState(db, assetId, period * SEGMENTS_IN_A_PERIOD)
  if (!state) throw nothingToPlay()
  assertMayPlay(state, viewer)
  if (state.contentProtection !== 'aes' || !state.hasSegment) throw nothingToPlay()
  return (await aesKeys(ring, db, { id: assetId })).keyOfPeriod(period)
}

export type KeyDelivery = ReturnType<typeof openKeyDelivery>

/** Counts in this process, as all limits do. */
export function openKeyDelivery() {
  const viewers = openCounter(KEYS_PER_VIEWER_AND_MINUTE)
  const addresses = openCounter(KEYS_PER_ADDRESS_AND_MINUTE)
  let delivered = 0
  return {
    /** Refuses one too many. */
    count: async ({ organizationId, pass }: Viewer, address: string): Promise<void> => {
      await addresses(address)
      const id = pass === 'open' ? undefined : pass.viewer
      if (id !== undefined) await viewers(`${organizationId}/${id}`)
    },
    /** A sample, from which an operator sees who takes keys; never a key. */
    audit: ({ organizationId, assetId, pass }: Viewer, key: KeyName, log: Log): void => {
      if (delivered++ % AUDITED_ONE_IN > 0) return
      const viewer = (pass !== 'open' && pass.viewer) || null
      const facts = {
        organization_id: organizationId,
        asset_id: assetId,
        viewer,
        ...key,
        delivered,
      }
      log.info({ ...facts, one_in: AUDITED_ONE_IN }, 'a key was delivered')
    },
  }
}

/** Tells the operator what to do, and viewers to come again. */
export function asRefusal(error: unknown, log: Log): unknown {
  if (!(error instanceof KeyUnavailable)) return error
  log.error({ err: error }, 'the keys of a video are not to be had')
  const detail = 'The keys of this video are not to be had at the moment. The operator is told why.'
  return notNow('unavailable', detail, RETRY_SECONDS)
}
