import type { AssetTarget } from './asset-target.ts'

/** Type of a drag that contains videos of the library. */
export const ASSETS_TYPE = 'application/x-reelkeep-assets'

let dragged: AssetTarget | undefined

/** The videos that are being dragged. A drag has text only, and a selection may mean thousands of videos. */
export const draggedAssets = {
  set: (target: AssetTarget) => {
    dragged = target
  },
  take: (): AssetTarget | undefined => {
    const target = dragged
    dragged = undefined
    return target
  },
}
