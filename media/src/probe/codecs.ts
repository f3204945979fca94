/**
 * What may be decoded: FFmpeg has some two hundred decoders of video, most of them for what nobody
 * uploads, and a fault in any of them would do. Sound and subtitles have no such list: ffprobe
 * opens them all and would refuse a film for a track that nobody needs.
 */
const videoCodecs = [
  // What cameras, phones and browsers make.
  ...['h264', 'hevc', 'av1', 'vp8', 'vp9', 'mpeg4', 'h263', 'mpeg1video', 'mpeg2video', 'mjpeg'],
  // What editors and archives keep.
  ...['prores', 'dnxhd', 'cfhd', 'dvvideo', 'ffv1', 'huffyuv', 'ffvhuff', 'utvideo', 'jpeg2000'],
  ...['rawvideo', 'v210', 'qtrle', 'png', 'hap', 'magicyuv'],
  // What lies in old collections.
  ...['flv1', 'vp6', 'vp6f', 'vp6a', 'theora', 'wmv1', 'wmv2', 'wmv3', 'vc1'],
  ...['msmpeg4v1', 'msmpeg4v2', 'msmpeg4v3', 'svq1', 'svq3', 'cinepak', 'msvideo1', 'rpza'],
]

/** Decoders that have another name than their codec. */
const otherNames = ['libdav1d', 'msmpeg4', 'flv']

export const videoDecoders = [...videoCodecs, ...otherNames].join(',')

export const isSupportedVideoCodec = (codec: string) => videoCodecs.includes(codec)

const textSubtitles = ['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text']
export const isTextSubtitle = (codec: string) => textSubtitles.includes(codec)
