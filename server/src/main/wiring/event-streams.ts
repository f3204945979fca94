import { findAsset } from '../../modules/assets/assets.ts'
import { toProgress } from '../../modules/assets/progress/asset-progress.rules.ts'
import { StreamHub } from '../../modules/event-stream/stream-hub.ts'
import { TOKENS_ENDED_CHANNEL } from '../../modules/tokens/tokens.ts'
import { fanOut } from '../../modules/webhooks/webhooks.ts'
import type { ApiConfig } from '../../platform/config/env.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Principal } from '../../platform/http/access/principal.ts'
import type { Logger } from '../../platform/observability/logger.ts'

type PrincipalCheck = { readonly isLive: (principal: Principal) => Promise<boolean> }

type Base = { readonly database: Database; readonly logger: Logger }

/** The live streams of an instance, with asset progress and the validity of principals from other modules. */
export const openStreams = (
  config: ApiConfig,
  { database, logger }: Base,
  checkFor: (principal: Principal) => PrincipalCheck,
): StreamHub =>
  new StreamHub({
    database,
    url: config.DATABASE_URL,
    logger,
    onSequenced: fanOut,
    limits: {
      streamsMax: config.EVENT_STREAMS_MAX,
      streamsPerOrganizationMax: config.EVENT_STREAMS_PER_ORGANIZATION_MAX,
      lifeSeconds: config.EVENT_STREAM_SECONDS,
      heartbeatSeconds: config.EVENT_STREAM_HEARTBEAT_SECONDS,
    },
    tokensEndedChannel: TOKENS_ENDED_CHANNEL,
    isLive: (principal) => checkFor(principal).isLive(principal),
    findProgress: async (db, assetId) => {
      const asset = await findAsset(db, assetId)
      // Clients do not see the row of a version.
      return asset?.versionOfId === null ? toProgress(asset) : undefined
    },
  })
