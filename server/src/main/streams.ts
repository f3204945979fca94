import { toldProgress } from '../capabilities/assets/asset-progress.rules.ts'
import { findAsset } from '../capabilities/assets/assets.ts'
import { StreamHub } from '../capabilities/events/stream/stream-hub.ts'
import type { TokenRegister } from '../capabilities/tokens/token-register.ts'
import type { ApiConfig } from '../platform/config/env.ts'
import type { Database } from '../platform/db/database.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { onNumbered } from './on-numbered.ts'

type Base = { readonly database: Database; readonly logger: Logger }

/**
 * The live streams of an instance, with what other capabilities know: assets their progress, tokens
 * whether they count.
 */
export const openStreams = (
  config: ApiConfig,
  { database, logger }: Base,
  tokens: TokenRegister,
): StreamHub =>
  new StreamHub({
    database,
    url: config.DATABASE_URL,
    logger,
    onNumbered,
    limits: {
      streamsMax: config.EVENT_STREAMS_MAX,
      streamsPerOrganizationMax: config.EVENT_STREAMS_PER_ORGANIZATION_MAX,
      lifeSeconds: config.EVENT_STREAM_SECONDS,
      heartbeatSeconds: config.EVENT_STREAM_HEARTBEAT_SECONDS,
    },
    isTokenLive: (principal) => tokens.isLive(principal),
    findProgress: async (db, assetId) => {
      const asset = await findAsset(db, assetId)
      return asset && toldProgress(asset)
    },
  })
