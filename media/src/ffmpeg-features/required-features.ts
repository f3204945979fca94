/** Features of ffmpeg that our command lines use. A build that lacks one fails on some videos, or on all. */
import { containers } from '../probe/container/container.ts'

/** The names of ffmpeg's list options: `ffmpeg -encoders`. */
export const featureKinds = ['encoders', 'decoders', 'filters', 'muxers', 'demuxers', 'bsfs'] as const
export type FeatureKind = (typeof featureKinds)[number]

export const requiredFeatures: Readonly<Record<FeatureKind, readonly string[]>> = {
  // Encoders of renditions, their audio, thumbnails, subtitles, and audio for transcription.
  encoders: ['libx264', 'aac', 'mjpeg', 'rawvideo', 'webvtt', 'pcm_s16le'],
  // Codecs of phones, cameras and browsers, and of our own renditions, from which thumbnails are created.
  decoders: [
    'h264',
    'hevc',
    'vp8',
    'vp9',
    'mpeg4',
    'mpeg2video',
    'mjpeg',
    'png',
    'webp',
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
    ...['aformat', 'alimiter', 'amix', 'anullsrc', 'aresample', 'asetnsamples', 'asetpts', 'asplit', 'atrim', 'pan'],
  ],
  muxers: ['mp4', 'null', 'rawvideo', 's16le', 'webvtt', 'image2'],
  demuxers: [
    ...new Set(Object.values(containers).map(({ demuxer }) => demuxer)),
    ...['jpeg_pipe', 'png_pipe', 'webp_pipe'],
  ],
  bsfs: ['noise'],
}
