/** Texts for the state of a video. */
import { formatBytes, formatDuration } from '../shared/format.js'

/** Returns `{ state, heading }`; `state` selects the colors. */
export function describeStatus({ status, playback_url }) {
  if (status === 'Processing' && playback_url) {
    return { state: 'going', heading: 'Processing, ready to play' }
  }
  return statuses[status] ?? { state: 'going', heading: status }
}

const statuses = {
  'Not Started': { state: 'waiting', heading: 'Waiting for upload' },
  Queued: { state: 'waiting', heading: 'Queued' },
  Processing: { state: 'going', heading: 'Processing' },
  Completed: { state: 'done', heading: 'Ready' },
  Error: { state: 'failed', heading: 'Processing failed' },
  Cancelled: { state: 'stopped', heading: 'Cancelled' },
}

/** Returns the placeholder shown instead of the video. */
export function describeEmptyScreen({ status, playback_url, content_protection_type: protection }) {
  if (protection === 'drm') return 'This page does not play DRM-protected videos.'
  if (playback_url) return 'Loading video…'
  return emptyScreens[status] ?? ''
}

const emptyScreens = {
  'Not Started': 'The video appears here after the upload.',
  Queued: 'The video appears here soon after processing starts.',
  Processing: 'Playback starts as soon as the first segments are encoded.',
  Completed: 'No playable video.',
  Error: 'No playable video.',
  Cancelled: 'Processing was cancelled before the video was playable.',
}

/** Error codes that are not caused by the file, so a retry may succeed. */
const serviceFailures = ['processing_failed', 'processing_stopped_workers', 'processing_took_too_long']

/** Which buttons to show: `{ mayCancel, mayRetry, mayReplace }`. */
export function actionsFor({ status, error }) {
  // A cancelled video has an error only if its file was never uploaded.
  const isOver = status === 'Error' || status === 'Cancelled'
  const isFileInvalid = isOver && error && !serviceFailures.includes(error.code)
  return {
    mayCancel: status === 'Queued' || status === 'Processing',
    mayRetry: isOver && !isFileInvalid,
    mayReplace: isFileInvalid,
  }
}

export function adviceFor({ status, error }) {
  if (error) return error.detail
  if (status === 'Cancelled') return 'The source file is kept. Try again to resume processing.'
  return ''
}

/** Returns the subtitle: duration, frame size and file size. */
export function describeFile({ bytes, video: { duration, width, height } }) {
  const properties = [
    duration !== null && formatDuration(duration),
    width !== null && `${width} × ${height}`,
    bytes !== null && formatBytes(bytes),
  ]
  return properties.filter(Boolean).join(' · ')
}

export function describeReach(seconds, duration) {
  const total = duration === null ? '' : ` of ${formatDuration(duration)}`
  return `The first ${formatDuration(seconds)}${total} can be played while the rest is encoded.`
}

/** Describes the status of a rendition. */
export function describeRendition({ decision, status, progress }) {
  if (decision === 'skipped') return 'Skipped'
  if (decision === 'undecided') return ''
  if (status === 'Completed') return 'Ready'
  if (status === 'Processing') return `${progress} %`
  return renditionStatuses[status] ?? status
}

const renditionStatuses = {
  Queued: 'Queued',
  'Not Started': 'Queued',
  Error: 'Failed',
  Cancelled: 'Cancelled',
}

/** Returns the reason for encoding or skipping a rendition, with the resulting bitrate. */
export const describeReason = ({ reason, bitrate }) =>
  bitrate ? `${reason} Average bitrate: ${formatBitrate(bitrate)}.` : reason

export function describePlan({ frame_rate, segment_duration, part_count, audio }) {
  if (frame_rate === null) return ''
  const sound = audio ? `Audio ${formatBitrate(audio.bitrate)}` : 'No audio'
  const parts = part_count === 1 ? 'encoded in 1 part' : `encoded in ${part_count} parts`
  return `${frame_rate} fps · ${sound} · ${segment_duration} s segments · ${parts}`
}

function formatBitrate(bits) {
  if (bits < 1e6) return `${Math.round(bits / 1e3)} kbit/s`
  return `${(bits / 1e6).toFixed(1)} Mbit/s`
}

export function describeTrack({ kind, language, label }) {
  if (kind === 'storyboard') return 'Storyboard'
  return [label ?? `${kind[0].toUpperCase()}${kind.slice(1)}`, language && `(${language})`].filter(Boolean).join(' ')
}
