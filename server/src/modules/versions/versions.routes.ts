import { versions as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { type Api, route } from '../../platform/http/route.ts'
import type { FormLifetime } from '../assets/assets.ts'
import { assetWire } from '../assets/assets.wire.ts'
import { activateVersion, listVersions } from './versions.ts'
import { toVersion } from './versions.wire.ts'

export function registerVersionRoutes(api: Api, settings: FormLifetime): void {
  route(api, contract.listVersions, async ({ db, params }) => {
    const versions = await listVersions(db, params.asset_id as AssetId)
    return { count: versions.length, next: null, previous: null, results: versions.map(toVersion) }
  })

  route(api, contract.activateVersion, async ({ db, params, playbackBase }) =>
    assetWire(playbackBase)(await activateVersion(settings, db, params.asset_id as AssetId, params.version_number)),
  )
}
