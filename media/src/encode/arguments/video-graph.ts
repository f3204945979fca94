import type { Plan, Rung, VideoInputPlan } from '../../plan/plan.ts'
import type { PartRung } from '../part-tracks.ts'
import { secondsOf } from './frame-ranges.ts'

/**
 * Filter graph from the source's video to the rungs of a part: [v0], [v1] and so on. The timestamp
 * of each frame is its number.
 */
export function videoGraph(plan: Plan, rungs: readonly PartRung[]): string {
  const start = Math.min(...rungs.map(({ frames }) => frames.start))
  const end = Math.max(...rungs.map(({ frames }) => frames.end))
  const common = [
    ...(plan.picture.isDeinterlaced ? ['bwdif=mode=send_frame'] : []),
    ...onGrid(plan, start, end),
    ...(plan.picture.isToneMapped ? toneMapping(largest(rungs)) : []),
  ]
  const names = rungs.map((_, index) => `[s${index}]`)
  const branches = rungs.map(({ rung, frames }, index) =>
    [
      names[index],
      [...(frames.start > start ? [`trim=start_pts=${frames.start}`] : []), ...scaled(plan.picture, rung)].join(),
      `[v${index}]`,
    ].join(''),
  )
  const shared = `[0:${plan.picture.streamIndex}]${common.join()}`
  const fork = rungs.length > 1 ? `,split=${rungs.length}` : ''
  return [`${shared}${fork}${names.join('')}`, ...branches].join(';')
}

/** Timestamps later than this many seconds after the end of the part are reduced to that limit. */
const SECONDS_AFTER_MAX = 1

/**
 * Filters that put frames on the grid of the whole video, repeat the last frame until the end, and trim the
 * result to the part. If the first frame is late, it is displayed from the start. Late timestamps are limited
 * first, because ffmpeg's `fps` fills every gap with frames, even after the end of the part: a jump of a hundred
 * days in a damaged file would keep it busy until the time limit.
 */
function onGrid({ frameRate }: Plan, start: number, end: number): string[] {
  const rate = `${frameRate.numerator}/${frameRate.denominator}`
  const latest = `${(secondsOf(end, frameRate) + SECONDS_AFTER_MAX).toFixed(6)}/TB`
  return [
    `setpts='if(gt(PTS,${latest}),${latest},PTS)'`,
    `fps=${rate}:round=near`,
    'tpad=stop=-1:stop_mode=clone',
    `trim=start_pts=${start}:end_pts=${end}`,
    `fps=${rate}:start_time=${secondsOf(start, frameRate).toFixed(6)}`,
  ]
}

/** Tone-maps in linear light, at the largest size needed, because floating point is expensive. */
const toneMapping = ({ width, height }: Rung) => [
  `zscale=w=${width}:h=${height}:f=bicubic:t=linear:npl=100`,
  'format=gbrpf32le',
  'zscale=p=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=t=bt709:m=bt709:r=tv',
  'format=yuv420p',
]

const largest = (rungs: readonly PartRung[]) =>
  rungs.map(({ rung }) => rung).reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a))

function scaled({ isToneMapped, inputMatrix }: VideoInputPlan, { width, height }: Rung): string[] {
  const matrix = isToneMapped ? 'bt709' : inputMatrix
  const colors = `in_color_matrix=${matrix}:out_color_matrix=bt709:in_range=auto:out_range=tv`
  return [`scale=${width}:${height}:flags=bicubic:${colors}`, 'format=yuv420p', 'setsar=1']
}
