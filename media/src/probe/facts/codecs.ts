/**
 * Video codecs that may be decoded. FFmpeg has about two hundred video decoders, most of them for
 * rare formats, and each may have vulnerabilities. Audio and subtitles are not restricted: ffprobe
 * opens all tracks and would reject a file because of one that is not needed.
 */
const videoCodecs = [
  // Codecs of cameras, phones and browsers.
  ...['h264', 'hevc', 'av1', 'vp8', 'vp9', 'mpeg4', 'h263', 'mpeg1video', 'mpeg2video', 'mjpeg'],
  // Codecs of editing software and archives.
  ...['prores', 'dnxhd', 'cfhd', 'dvvideo', 'ffv1', 'huffyuv', 'ffvhuff', 'utvideo', 'jpeg2000'],
  ...['rawvideo', 'v210', 'qtrle', 'png', 'hap', 'magicyuv'],
  // Codecs of old collections.
  ...['flv1', 'vp6', 'vp6f', 'vp6a', 'theora', 'wmv1', 'wmv2', 'wmv3', 'vc1'],
  ...['msmpeg4v1', 'msmpeg4v2', 'msmpeg4v3', 'svq1', 'svq3', 'cinepak', 'msvideo1', 'rpza'],
]

/** Decoders whose name differs from their codec's. */
const otherNames = ['libdav1d', 'msmpeg4', 'flv']

export const videoDecoders = [...videoCodecs, ...otherNames].join(',')

export const isSupportedVideoCodec = (codec: string) => videoCodecs.includes(codec)

const textSubtitles = ['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text']
export const isTextSubtitle = (codec: string) => textSubtitles.includes(codec)
