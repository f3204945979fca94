import type { AssetId, OrganizationId, TokenId } from '@reelkeep/server/kernel/ids.ts'
import type { TokenIssuer } from '@reelkeep/server/modules/playback-tokens/playback-tokens.ts'
import type { VideoRef } from './published-video.ts'

/** The playback token that the API returns with an asset, to a caller whose API token is valid. */
export const assetToken = (tokenIssuer: TokenIssuer, { organizationId, assetId }: VideoRef): string =>
  tokenIssuer.forAsset(
    {
      organizationId: organizationId as OrganizationId,
      id: '019a0000-0000-7000-8000-00000000000a' as TokenId,
      expiresAt: null,
      playbackEpoch: 0,
    },
    assetId as AssetId,
    new Date(),
  )
