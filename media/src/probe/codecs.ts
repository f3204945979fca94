/**
 * What may be decoded: FFmpeg has some five hundred decoders, most of them for what nobody uploads, and a fault in any of them would do.
 * These are FFmpeg's names of codecs; where a decoder is called otherwise, both stand in the list that FFmpeg is given.
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

const audioCodecs = [
  ...['aac', 'mp3', 'mp2', 'opus', 'vorbis', 'flac', 'alac', 'ac3', 'eac3', 'dts', 'truehd', 'mlp'],
  ...['wmav1', 'wmav2', 'wmapro', 'amr_nb', 'amr_wb', 'nellymoser', 'speex', 'qdm2'],
  ...['adpcm_ima_wav', 'adpcm_ima_qt', 'adpcm_ms', 'adpcm_swf', 'adpcm_yamaha'],
  ...[
    'pcm_u8',
    'pcm_s8',
    'pcm_s16le',
    'pcm_s16be',
    'pcm_s24le',
    'pcm_s24be',
    'pcm_s32le',
    'pcm_s32be',
  ],
  ...[
    'pcm_f32le',
    'pcm_f32be',
    'pcm_f64le',
    'pcm_f64be',
    'pcm_alaw',
    'pcm_mulaw',
    'pcm_bluray',
    'pcm_dvd',
  ],
  ...['pcm_s16le_planar', 'pcm_s24le_planar', 'pcm_s32le_planar', 's302m'],
]

const subtitleCodecs = [
  ...[
    'mov_text',
    'subrip',
    'srt',
    'ass',
    'ssa',
    'webvtt',
    'text',
    'hdmv_pgs_subtitle',
    'dvd_subtitle',
  ],
  ...['dvb_subtitle', 'eia_608'],
]

/** Decoders that have another name than their codec. */
const otherNames = [
  ...[
    'libdav1d',
    'mp3float',
    'mp2float',
    'dca',
    'amrnb',
    'amrwb',
    'libspeex',
    'libopus',
    'msmpeg4',
  ],
  ...['flv', 'pgssub', 'dvdsub', 'dvbsub', 'cc_dec', 'aac_fixed', 'ac3_fixed'],
]

export const decoderWhitelist = [
  ...videoCodecs,
  ...audioCodecs,
  ...subtitleCodecs,
  ...otherNames,
].join(',')

export const isSupportedVideoCodec = (codec: string) => videoCodecs.includes(codec)

const textSubtitles = ['mov_text', 'subrip', 'srt', 'ass', 'ssa', 'webvtt', 'text']
export const isTextSubtitle = (codec: string) => textSubtitles.includes(codec)
