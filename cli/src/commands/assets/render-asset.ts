import type { Asset, AssetPlan, PlannedRendition, Timeline } from 'reelkeep'
import { byteCount } from '../../terminal/amounts.ts'
import { type Field, renderFields, renderMetadata } from '../../terminal/fields.ts'
import { paintStatus } from '../../terminal/statuses.ts'
import type { Style } from '../../terminal/style.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { duration, localTime, relativeTime } from '../../terminal/times.ts'
import { printable } from '../../terminal/width.ts'

export const assetColumns: readonly Column<Asset>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'title', cell: ({ title }) => title, mayShrink: true },
  {
    title: 'status',
    cell: ({ video }) => statusOf(video),
    paint: (text, { video }, style) => paintStatus(video.status, style) + text.slice(video.status.length),
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

export function renderAsset({ video, ...asset }: Asset, style: Style): string {
  const { paint, now } = style
  const size = video.width && `${video.width} × ${video.height}`
  const fields: Field[] = [
    ['asset', asset.title, (text) => paint('bold', text)],
    ['id', asset.id],
    ['folder', asset.parent_id ?? 'root'],
    ['status', statusOf(video), (text) => paintStatus(video.status, style) + text.slice(video.status.length)],
    ['error', video.error && `${video.error.detail} (${video.error.code})`],
    ['length', video.duration && duration(video.duration)],
    ['frame rate', video.frame_rate && `${video.frame_rate} fps`],
    ['resolution', size],
    ['file', asset.bytes && byteCount(asset.bytes)],
    ['renditions', video.renditions.map(renderRendition).join(', ')],
    ['protection', video.content_protection_type],
    ['subtitles', subtitlesOf(video)],
    ['playback URL', video.playback_url],
    ['description', asset.description],
    ['tags', asset.tags.join(', ')],
    ['external id', asset.external_id],
    ['metadata', renderMetadata(asset.metadata)],
    ['legal hold', asset.legal_hold ? 'yes' : null],
    ['created', relativeTime(asset.created_at, now)],
    ['updated', relativeTime(asset.updated_at, now)],
  ]
  return renderFields(fields, style)
}

const renderRendition = ({ name, status, progress }: Asset['video']['renditions'][number]) =>
  status === 'Completed' ? name : `${name} (${statusOf({ status, progress })})`

const subtitlesOf = ({ tracks }: Asset['video']) =>
  tracks
    .filter(({ kind }) => kind === 'subtitles')
    .map(({ label, language }) => `${label} (${language})`)
    .join(', ')

export function renderTimeline({ entries, pending }: Timeline, style: Style): string {
  const lines = entries.map(
    ({ at, what, detail }) =>
      `${style.paint('gray', localTime(at))}  ${printable(detail)}  ${style.paint('gray', printable(what))}`,
  )
  if (!pending) return lines.join('\n')
  const deadline = pending.until ? ` (deadline ${localTime(pending.until)})` : ''
  return [...lines, `Waiting: ${printable(pending.detail)}${style.paint('gray', deadline)}`].join('\n')
}

const planColumns: readonly Column<PlannedRendition>[] = [
  { title: 'rendition', cell: ({ name }) => name },
  {
    title: 'decision',
    cell: ({ decision }) => decision,
    paint: (text, _, style) => paintStatus(text, style),
  },
  { title: 'status', cell: ({ status }) => status },
  { title: 'resolution', cell: ({ width, height }) => (width ? `${width} × ${height}` : '') },
  {
    title: 'kbit/s',
    cell: ({ bitrate, bitrate_max }) => kilobits(bitrate, bitrate_max),
    isNumber: true,
  },
  { title: 'reason', cell: ({ reason }) => reason, mayShrink: true },
]

const kilobits = (bitrate: number | null, bitrateMax: number | null) => {
  const bits = bitrate ?? bitrateMax
  return bits === null ? '' : `${bitrate === null ? '≤ ' : ''}${Math.round(bits / 1000)}`
}

export function renderPlan(plan: AssetPlan, style: Style): string {
  const { audio } = plan
  const fields: Field[] = [
    ['frame rate', plan.frame_rate && `${plan.frame_rate} fps`],
    ['keyframe interval', plan.keyframe_interval && `${plan.keyframe_interval} s`],
    ['segment duration', plan.segment_duration && `${plan.segment_duration} s`],
    ['parts', plan.part_count],
    ['audio', audio && `${Math.round(audio.bitrate / 1000)} kbit/s, ${audio.channels} channels`],
  ]
  const known = renderFields(fields, style)
  const table = renderTable(planColumns, plan.renditions, style)
  return known ? `${known}\n\n${table}` : table
}
