import type { events as contract } from '@reelkeep/contract'
import type { Asset, Rendition } from '../assets.rules.ts'

/** The `asset.progress` message that event streams send while an asset is processed. */
export const toProgress = (asset: Pick<Asset, 'id' | 'status' | 'renditions'>): contract.Progress => ({
  id: asset.id,
  status: asset.status,
  progress: progressOf(asset),
  renditions: asset.renditions.map((rendition) => ({
    name: rendition.name,
    progress: renditionProgress(rendition),
  })),
})

/** Progress in percent over all renditions, weighted by pixels. 100 only when the asset is completed. */
export function progressOf({ status, renditions }: Pick<Asset, 'status' | 'renditions'>): number {
  if (status === 'Completed') return 100
  const pixels = renditions.map(({ width, height }) => width * height)
  const total = sum(pixels)
  if (total === 0) return 0
  const done = sum(renditions.map((rendition, index) => (pixels[index] ?? 0) * fractionDone(rendition)))
  return Math.min(99, Math.floor((100 * done) / total))
}

export const renditionProgress = (rendition: Rendition) => Math.floor(100 * fractionDone(rendition))

export function renditionStatus({ status }: Pick<Asset, 'status'>, rendition: Rendition): string {
  if (rendition.segmentsDone === rendition.segmentsTotal) return 'Completed'
  if (status !== 'Processing') return status
  return fractionDone(rendition) > 0 ? 'Processing' : 'Queued'
}

/** The fraction is capped below 1, because a superseded attempt may still report segments that are already done. */
const fractionDone = ({ segmentsDone, segmentsUnderWay, segmentsTotal }: Rendition) =>
  segmentsDone === segmentsTotal ? 1 : Math.min(0.99, (segmentsDone + segmentsUnderWay) / segmentsTotal)

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0)
