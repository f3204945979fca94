/** The containers that are accepted: a row each. `demuxer` is FFmpeg's, and the only one that may read such a file. */
export const containers = {
  mp4: { demuxer: 'mov', title: 'MP4' },
  quicktime: { demuxer: 'mov', title: 'QuickTime' },
  matroska: { demuxer: 'matroska', title: 'Matroska' },
  webm: { demuxer: 'matroska', title: 'WebM' },
  avi: { demuxer: 'avi', title: 'AVI' },
  mpegts: { demuxer: 'mpegts', title: 'MPEG transport stream' },
  mpegps: { demuxer: 'mpeg', title: 'MPEG program stream' },
  flv: { demuxer: 'flv', title: 'Flash video' },
  asf: { demuxer: 'asf', title: 'Windows Media' },
  mxf: { demuxer: 'mxf', title: 'MXF' },
  ogg: { demuxer: 'ogg', title: 'Ogg' },
} as const

export type Container = keyof typeof containers

/**
 * In these ffmpeg lets time begin with the first of the streams that it is asked for, and not with
 * that of the file.
 */
const demuxersOfStreams: readonly string[] = ['mpegts', 'mpeg', 'ogg']

/**
 * Who takes some of such a file's streams must ask for the others as well, or be off by as much as
 * they begin earlier.
 */
export const hasTimeOfItsStreams = (container: Container) =>
  demuxersOfStreams.includes(containers[container].demuxer)
