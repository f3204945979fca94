import type { Asset, AssetPlan, PlannedRendition, Timeline } from 'reelkeep'
import { byteCount } from '../../terminal/amounts.ts'
import { drawFields, type Field } from '../../terminal/fields.ts'
import type { Look } from '../../terminal/look.ts'
import { paintStatus } from '../../terminal/statuses.ts'
import { type Column, drawTable } from '../../terminal/table.ts'
import { duration, localTime, relativeTime } from '../../terminal/times.ts'
import { printable } from '../../terminal/width.ts'

export const assetColumns: readonly Column<Asset>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
  {
    title: 'status',
    cell: ({ video }) => statusOf(video),
    paint: (text, { video }, look) =>
      paintStatus(video.status, look) + text.slice(video.status.length),
  },
  {
    title: 'length',
    cell: ({ video }) => (video.duration === null ? '' : duration(video.duration)),
    isNumber: true,
    rank: 1,
  },
  {
    title: 'size',
    cell: ({ bytes }) => (bytes === null ? '' : byteCount(bytes)),
    isNumber: true,
    rank: 2,
  },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 3 },
]

export const statusOf = ({ status, progress }: Pick<Asset['video'], 'status' | 'progress'>) =>
  status === 'Processing' ? `${status} ${Math.floor(progress)} %` : status

export function drawAsset({ video, ...asset }: Asset, look: Look): string {
  const { paint, now } = look
  const size = video.width && `${video.width} × ${video.height}`
  const fields: Field[] = [
    ['asset', asset.title, (text) => paint('bold', text)],
    ['id', asset.id],
    ['folder', asset.parent_id ?? 'root'],
    [
      'status',
      statusOf(video),
      (text) => paintStatus(video.status, look) + text.slice(video.status.length),
    ],
    ['why', video.error && `${video.error.detail} (${video.error.code})`],
    ['length', video.duration && duration(video.duration)],
    ['picture', size],
    ['file', asset.bytes && byteCount(asset.bytes)],
    ['renditions', video.renditions.map(drawRendition).join(', ')],
    ['protection', video.content_protection_type],
    ['subtitles', subtitlesOf(video)],
    ['plays at', video.playback_url],
    ['created', relativeTime(asset.created_at, now)],
    ['changed', relativeTime(asset.updated_at, now)],
  ]
  return drawFields(fields, look)
}

const drawRendition = ({ name, status, progress }: Asset['video']['renditions'][number]) =>
  status === 'Completed' ? name : `${name} (${statusOf({ status, progress })})`

const subtitlesOf = ({ tracks }: Asset['video']) =>
  tracks
    .filter(({ kind }) => kind === 'subtitles')
    .map(({ label, language }) => `${label} (${language})`)
    .join(', ')

export function drawTimeline({ happened, awaited }: Timeline, look: Look): string {
  const lines = happened.map(
    ({ at, what, detail }) =>
      `${look.paint('gray', localTime(at))}  ${printable(detail)}  ${look.paint('gray', printable(what))}`,
  )
  if (!awaited) return lines.join('\n')
  const until = awaited.until ? ` Until ${localTime(awaited.until)} at the latest.` : ''
  return [...lines, `Awaited: ${printable(awaited.detail)}${look.paint('gray', until)}`].join('\n')
}

const planColumns: readonly Column<PlannedRendition>[] = [
  { title: 'rendition', cell: ({ name }) => name },
  {
    title: 'decision',
    cell: ({ decision }) => decision,
    paint: (text, _, look) => paintStatus(text, look),
  },
  { title: 'status', cell: ({ status }) => status },
  { title: 'picture', cell: ({ width, height }) => (width ? `${width} × ${height}` : '') },
  {
    title: 'kbit/s',
    cell: ({ bitrate, bitrate_max }) => kilobits(bitrate, bitrate_max),
    isNumber: true,
  },
  { title: 'why', cell: ({ reason }) => reason, mayShrink: true },
]

const kilobits = (bitrate: number | null, bitrateMax: number | null) => {
  const bits = bitrate ?? bitrateMax
  return bits === null ? '' : `${bitrate === null ? '≤ ' : ''}${Math.round(bits / 1000)}`
}

export function drawPlan(plan: AssetPlan, look: Look): string {
  const { audio } = plan
  const fields: Field[] = [
    ['pictures a second', plan.frame_rate],
    ['keyframe every', plan.keyframe_interval && `${plan.keyframe_interval} s`],
    ['segments of', plan.segment_duration && `${plan.segment_duration} s`],
    ['parts', plan.part_count],
    ['sound', audio && `${Math.round(audio.bitrate / 1000)} kbit/s, ${audio.channels} channels`],
  ]
  const known = drawFields(fields, look)
  const table = drawTable(planColumns, plan.renditions, look)
  return known ? `${known}\n\n${table}` : table
}
