/** Where a video stands, and what to do about it, in plain words. */
import { inWords, playingTime } from '../shared/words.js'

/** Of everything that the page shows of a status: `{ state, heading }`. `state` decides the colours. */
export function describeStatus({ status, playback_url, content_protection_type: protection }) {
  if (status === 'Processing' && playback_url) {
    return { state: 'going', heading: 'Being made, and ready to watch' }
  }
  if (status === 'Completed' && protection !== 'disable') {
    return { state: 'done', heading: 'Made, but not to be watched yet' }
  }
  return statuses[status] ?? { state: 'going', heading: status }
}

const statuses = {
  'Not Started': { state: 'waiting', heading: 'Waiting for its file' },
  Queued: { state: 'waiting', heading: 'Waiting for a worker' },
  Processing: { state: 'going', heading: 'Being made' },
  Completed: { state: 'done', heading: 'Ready' },
  Error: { state: 'failed', heading: 'This did not work out' },
  Cancelled: { state: 'stopped', heading: 'Cancelled' },
}

/** What stands where the picture will be. */
export function describeEmptyScreen({ status, playback_url, content_protection_type: protection }) {
  if (playback_url) return 'The first seconds are there and on their way to you.'
  if (protection !== 'disable') {
    const name = protections[protection] ?? protection
    return `This video is to be protected by ${name}, which the service cannot do yet. It is played to nobody until it can.`
  }
  return emptyScreens[status] ?? ''
}

const protections = { aes: 'AES-128', drm: 'DRM' }

const emptyScreens = {
  'Not Started': 'The video will be here when its file has arrived.',
  Queued: 'The video will be here soon after a worker has begun.',
  Processing: 'The first seconds are being made. You can watch as soon as they are there.',
  Completed: 'There is nothing to play.',
  Error: 'There is nothing to play.',
  Cancelled: 'It was cancelled before there was anything to play.',
}

/** Failures that are not the file's doing, or not surely: the same file may do at the next try. */
const failuresOfTheService = [
  'processing_failed',
  'processing_stopped_workers',
  'processing_took_too_long',
]

/** Which of the buttons help: `{ mayCancel, mayRetry, mayReplace }`. */
export function doingsOf({ status, error }) {
  const isFileAtFault = status === 'Error' && !failuresOfTheService.includes(error?.code)
  return {
    mayCancel: status === 'Queued' || status === 'Processing',
    mayRetry: status === 'Cancelled' || (status === 'Error' && !isFileAtFault),
    mayReplace: isFileAtFault,
  }
}

export function adviceOn({ status, error }) {
  if (error) return error.detail
  if (status === 'Cancelled') return 'The file is still there: trying again goes on with it.'
  return ''
}

/** Under the title: what is known of the file. */
export function describeFile({ bytes, video: { duration, width, height } }) {
  const facts = [
    duration !== null && `${playingTime(duration)} long`,
    width !== null && `${width} × ${height}`,
    bytes !== null && inWords(bytes),
  ]
  return facts.filter(Boolean).join(' · ')
}

export function describeReach(seconds, duration) {
  const whole = duration === null ? '' : ` of ${playingTime(duration)}`
  return `The first ${playingTime(seconds)}${whole} can be watched already; the rest follows as it is made.`
}

/** How far a rendition is. */
export function describeRendition({ decision, status, progress }) {
  if (decision === 'left_out') return 'Not made'
  if (decision === 'undecided') return ''
  if (status === 'Completed') return 'Done'
  if (status === 'Processing') return `${progress} %`
  return renditionStatuses[status] ?? status
}

const renditionStatuses = {
  Queued: 'Waiting',
  'Not Started': 'Waiting',
  Error: 'Failed',
  Cancelled: 'Cancelled',
}

/** Why it is made or not, and what came of it. */
export const describeReason = ({ reason, bitrate }) =>
  bitrate ? `${reason} It came to ${bitsInWords(bitrate)}.` : reason

export function describePlan({ frame_rate, segment_duration, part_count, audio }) {
  if (frame_rate === null) return ''
  const sound = audio ? `sound of ${bitsInWords(audio.bitrate)}` : 'no sound'
  const parts =
    part_count === 1 ? 'in one go' : `in ${part_count} parts, by as many workers as are free`
  return `${frame_rate} pictures a second, ${sound}, segments of ${segment_duration} s; made ${parts}.`
}

function bitsInWords(bits) {
  if (bits < 1e6) return `${Math.round(bits / 1e3)} kbit/s`
  return `${(bits / 1e6).toFixed(1)} Mbit/s`
}

export function describeTrack({ kind, language, label }) {
  if (kind === 'storyboard') return 'Storyboard: small pictures for the seek bar'
  return [label ?? `${kind[0].toUpperCase()}${kind.slice(1)}`, language && `(${language})`]
    .filter(Boolean)
    .join(' ')
}
