/** What our command lines ask of ffmpeg. A build that lacks one of these takes some videos, or none. */
import { containers } from '../probe/container.ts'

/** As ffmpeg calls its lists: `ffmpeg -encoders`. */
export const abilityKinds = [
  'encoders',
  'decoders',
  'filters',
  'muxers',
  'demuxers',
  'bsfs',
] as const
export type AbilityKind = (typeof abilityKinds)[number]

/** Without these no video is made. */
export const neededAbilities: Readonly<Record<AbilityKind, readonly string[]>> = {
  // Renditions, their sound, pictures, subtitles, what recognisers hear.
  encoders: ['libx264', 'aac', 'mjpeg', 'rawvideo', 'webvtt', 'pcm_s16le'],
  // What phones, cameras and browsers make; also what we make ourselves and take pictures of.
  decoders: [
    'h264',
    'hevc',
    'vp8',
    'vp9',
    'mpeg4',
    'mpeg2video',
    'mjpeg',
    'prores',
    'aac',
    'mp3',
    'opus',
    'vorbis',
    'ac3',
    'flac',
    'pcm_s16le',
    'mov_text',
    'subrip',
  ],
  filters: [
    ...['fps', 'format', 'scale', 'setpts', 'setsar', 'split', 'tile', 'tpad', 'trim', 'bwdif'],
    ...['zscale', 'tonemap'],
    ...['aformat', 'alimiter', 'amix', 'anullsrc', 'aresample', 'asetpts', 'atrim', 'pan'],
  ],
  muxers: ['mp4', 'null', 'rawvideo', 's16le', 'webvtt', 'image2'],
  demuxers: [...new Set(Object.values(containers).map(({ demuxer }) => demuxer))],
  bsfs: ['noise'],
}
