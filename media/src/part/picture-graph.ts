import type { PicturePlan, Plan, Rung } from '../plan/plan.ts'
import type { RungOfPart } from './part-tracks.ts'
import { secondsOf } from './places.ts'

/**
 * From the source's pictures to those of each rung of a part, called [v0], [v1] and so on. Each
 * bears the number of its frame as its time.
 */
export function pictureGraph(plan: Plan, rungs: readonly RungOfPart[]): string {
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
      [
        ...(frames.start > start ? [`trim=start_pts=${frames.start}`] : []),
        ...scaled(plan.picture, rung),
      ].join(),
      `[v${index}]`,
    ].join(''),
  )
  const shared = `[0:${plan.picture.streamIndex}]${common.join()}`
  const fork = rungs.length > 1 ? `,split=${rungs.length}` : ''
  return [`${shared}${fork}${names.join('')}`, ...branches].join(';')
}

/** A picture that claims to come any later is no better than one at once behind the end. */
const SECONDS_BEHIND_MAX = 1

/**
 * First onto the grid of the whole video, on which the last picture stands for as long as there is
 * no other; then cut; and if the first picture comes late, it stands from the beginning on.
 * ffmpeg's `fps` fills a gap to its end even if nobody takes the pictures any more: a broken file
 * that jumps by a hundred days would keep it busy for as long as it may run.
 */
function onGrid({ frameRate }: Plan, start: number, end: number): string[] {
  const rate = `${frameRate.numerator}/${frameRate.denominator}`
  const latest = `${(secondsOf(end, frameRate) + SECONDS_BEHIND_MAX).toFixed(6)}/TB`
  return [
    `setpts='if(gt(PTS,${latest}),${latest},PTS)'`,
    `fps=${rate}:round=near`,
    'tpad=stop=-1:stop_mode=clone',
    `trim=start_pts=${start}:end_pts=${end}`,
    `fps=${rate}:start_time=${secondsOf(start, frameRate).toFixed(6)}`,
  ]
}

/** In light and not in voltages, and on no more pixels than are wanted: floating point is dear. */
const toneMapping = ({ width, height }: Rung) => [
  `zscale=w=${width}:h=${height}:f=bicubic:t=linear:npl=100`,
  'format=gbrpf32le',
  'zscale=p=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=t=bt709:m=bt709:r=tv',
  'format=yuv420p',
]

const largest = (rungs: readonly RungOfPart[]) =>
  rungs.map(({ rung }) => rung).reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a))

function scaled({ isToneMapped, inputMatrix }: PicturePlan, { width, height }: Rung): string[] {
  const matrix = isToneMapped ? 'bt709' : inputMatrix
  const colours = `in_color_matrix=${matrix}:out_color_matrix=bt709:in_range=auto:out_range=tv`
  return [`scale=${width}:${height}:flags=bicubic:${colours}`, 'format=yuv420p', 'setsar=1']
}
