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
