import type { events as contract } from '@reelkeep/contract'
import type { Asset, Rendition } from './assets.rules.ts'

/** As it is told live while an asset is processed. */
export const toldProgress = (
  asset: Pick<Asset, 'id' | 'status' | 'renditions'>,
): contract.Progress => ({
  id: asset.id,
  status: asset.status,
  progress: progressOf(asset),
  renditions: asset.renditions.map((rendition) => ({
    name: rendition.name,
    progress: renditionProgress(rendition),
  })),
})

/**
 * Of all renditions, by what they cost: a picture of twice the size takes twice as long. Full only
 * when all is done.
 */
export function progressOf({ status, renditions }: Pick<Asset, 'status' | 'renditions'>): number {
  if (status === 'Completed') return 100
  const pixels = renditions.map(({ width, height }) => width * height)
  const total = sum(pixels)
  if (total === 0) return 0
  const done = sum(renditions.map((one, index) => (pixels[index] ?? 0) * shareOf(one)))
  return Math.min(99, Math.floor((100 * done) / total))
}

export const renditionProgress = (rendition: Rendition) => Math.floor(100 * shareOf(rendition))

export function renditionStatus({ status }: Pick<Asset, 'status'>, rendition: Rendition): string {
  if (rendition.segmentsDone === rendition.segmentsTotal) return 'Completed'
  if (status !== 'Processing') return status
  return shareOf(rendition) > 0 ? 'Processing' : 'Queued'
}

/** An attempt that is overtaken may still say that it makes what is done already. */
const shareOf = ({ segmentsDone, segmentsUnderWay, segmentsTotal }: Rendition) =>
  segmentsDone === segmentsTotal
    ? 1
    : Math.min(0.99, (segmentsDone + segmentsUnderWay) / segmentsTotal)

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
