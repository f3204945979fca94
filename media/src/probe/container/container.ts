/** Supported containers. `demuxer` is the only FFmpeg demuxer that may read such a file. */
export const containers = {
  mp4: { demuxer: 'mov', title: 'MP4', extension: 'mp4' },
  quicktime: { demuxer: 'mov', title: 'QuickTime', extension: 'mov' },
  matroska: { demuxer: 'matroska', title: 'Matroska', extension: 'mkv' },
  webm: { demuxer: 'matroska', title: 'WebM', extension: 'webm' },
  avi: { demuxer: 'avi', title: 'AVI', extension: 'avi' },
  mpegts: { demuxer: 'mpegts', title: 'MPEG transport stream', extension: 'ts' },
  mpegps: { demuxer: 'mpeg', title: 'MPEG program stream', extension: 'mpg' },
  flv: { demuxer: 'flv', title: 'Flash video', extension: 'flv' },
  asf: { demuxer: 'asf', title: 'Windows Media', extension: 'wmv' },
  mxf: { demuxer: 'mxf', title: 'MXF', extension: 'mxf' },
  ogg: { demuxer: 'ogg', title: 'Ogg', extension: 'ogv' },
} as const

export type Container = keyof typeof containers

/** With these demuxers, ffmpeg's time starts at the first of the requested streams, not at the first of the file. */
const demuxersWithRelativeTime: readonly string[] = ['mpegts', 'mpeg', 'ogg']

/**
 * True if ffmpeg's time starts at the first requested stream. A program that needs only the video or the audio must
 * then request both: with only one, its times are off by the difference of their starts.
 */
export const isTimeRelativeToStreams = (container: Container) =>
  demuxersWithRelativeTime.includes(containers[container].demuxer)
