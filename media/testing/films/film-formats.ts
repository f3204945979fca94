/**
 * Test films in codecs and containers other than H.264 in MP4, and films that combine several difficulties, as
 * real videos do.
 */
import { aac, type Film, film, h264 } from './film.ts'
import { hdr10, interlaced, inverseRotation, rotatedClockwise, variableRate } from './film-recipes.ts'

const small = { size: '640x360', rate: '30/1', seconds: 3 }
const brief = { ...small, size: '320x180', seconds: 2 }
const vp9 = '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k'

const formats: readonly Film[] = [
  film({ ...small, name: 'vp9.webm', difficulty: 'VP9 and Opus', encoded: `${vp9} -c:a libopus` }),
  film({
    ...{ ...small, name: 'live.webm', difficulty: 'browser recording without duration and index' },
    encoded: `${vp9} -c:a libopus -f webm -live 1`,
  }),
  film({
    ...{ ...brief, name: 'av1.mp4', difficulty: 'AV1' },
    encoded: `-c:v libsvtav1 -preset 10 -crf 40 ${aac}`,
  }),
  film({
    ...{ ...brief, name: 'hevc.mp4', difficulty: 'HEVC' },
    encoded: `-c:v libx265 -preset ultrafast -x265-params log-level=error -tag:v hvc1 ${aac}`,
  }),
  film({
    ...{
      ...small,
      name: 'prores.mov',
      difficulty: 'ProRes 4:2:2 and uncompressed audio',
      rate: '24/1',
    },
    encoded: '-c:v prores -profile:v 0 -pix_fmt yuv422p10le -c:a pcm_s16le',
  }),
  film({
    ...{
      ...small,
      name: 'broadcast.ts',
      difficulty: 'timestamps do not start at 0',
      seconds: 9,
      rate: '25/1',
    },
    encoded: '-c:v mpeg2video -b:v 1M -g 12 -bf 2 -c:a mp2 -b:a 128k',
  }),
  film({
    ...{ ...small, name: 'mpeg4.avi', difficulty: 'MPEG-4 part 2 and AC-3' },
    encoded: '-c:v mpeg4 -b:v 800k -c:a ac3',
  }),
  film({
    ...{ ...small, name: 'mjpeg.avi', difficulty: 'MJPEG from a photo camera' },
    encoded: '-c:v mjpeg -q:v 5 -pix_fmt yuvj420p -c:a pcm_s16le',
  }),
  film({
    ...{ ...small, name: 'sorenson.flv', difficulty: 'Flash', audio: { sampleRate: 44_100 } },
    encoded: '-c:v flv -b:v 800k -c:a libmp3lame',
  }),
  film({
    ...{ ...small, name: 'windows.wmv', difficulty: 'Windows Media with millisecond timestamps' },
    encoded: '-c:v wmv2 -b:v 800k -c:a wmav2',
    // Windows Media audio loses its first block, and the container counts one more block at the end.
    expected: { durationSeconds: 3.086, audio: { from: 0.1, to: 3 } },
  }),
  film({
    ...{ ...small, name: 'disc.mpg', difficulty: 'MPEG program stream', rate: '25/1' },
    encoded: '-c:v mpeg2video -b:v 1M -c:a mp2 -f vob',
  }),
  film({
    ...{ ...small, name: 'matroska.mkv', difficulty: 'millisecond timestamps', rate: '24000/1001' },
    encoded: `${h264} -c:a ac3`,
  }),
  film({
    ...{
      ...small,
      name: 'theora.ogv',
      difficulty: 'Vorbis, whose blocks have wrong durations',
    },
    encoded: '-c:v libtheora -q:v 6 -c:a libvorbis',
  }),
]

/** Encoded AC-3 audio starts this much before its input. In this film, the audio also starts three frames early. */
const AC3_SECONDS = 256 / 48_000
const EARLY_SECONDS = 3 / 25

const combinations: readonly Film[] = [
  film({
    ...{ ...small, name: 'audio-first.ts', difficulty: 'audio starts exactly three frames early' },
    ...{ rate: '25/1', audio: { from: AC3_SECONDS - EARLY_SECONDS, to: 3 } },
    encoded: '-c:v mpeg2video -b:v 1M -g 12 -bf 2 -c:a ac3',
    expected: { durationSeconds: 3 + EARLY_SECONDS, audio: { from: 0, to: 3 } },
  }),
  film({
    ...{
      ...small,
      name: 'phone.mp4',
      difficulty: 'rotated, variable rate, mono, odd',
      size: '360x640',
    },
    ...{ rate: '60/1', seconds: 9, audio: { layout: 'mono', sampleRate: 44_100 } },
    filters: `${variableRate(60)},${inverseRotation[90]},scale=427:241,setsar=1`,
    encoded: `-vsync vfr -c:v libx264 -preset ultrafast -pix_fmt yuv444p ${aac}`,
    remux: rotatedClockwise(90),
    expected: { width: 241, height: 427, frameRate: '24/1' },
  }),
  film({
    ...{ ...brief, name: 'bright-phone.mp4', difficulty: 'HDR, vertical, 5.1, rotated' },
    ...{ size: '180x320', audio: { layout: '5.1' } },
    ...{ filters: inverseRotation[270], remux: rotatedClockwise(270), encoded: `${hdr10} ${aac}` },
  }),
  film({
    ...{ ...small, ...interlaced('top'), name: 'tape.mp4' },
    ...{ difficulty: 'anamorphic, interlaced, late audio', size: '512x288', audio: { from: 0.8 } },
    filters: 'scale=360:288,setsar=64/45,interlace=scan=tff',
  }),
  film({
    ...{
      ...small,
      name: 'late-broadcast.ts',
      difficulty: 'interlaced 29.97, 5.1, timestamps start at one hour',
    },
    ...{ rate: '30000/1001', fields: 2, audio: { layout: '5.1' }, seconds: 5 },
    filters: 'interlace=scan=tff',
    encoded: '-c:v mpeg2video -b:v 2M -flags +ilme+ildct -top 1 -c:a ac3 -output_ts_offset 3600',
  }),
  film({
    ...{ ...small, name: 'call.webm', difficulty: 'variable rate, late audio, mono, no duration' },
    ...{ rate: '60/1', audio: { from: 0.7, layout: 'mono' }, seconds: 5 },
    filters: variableRate(60),
    encoded: `-vsync vfr ${vp9} -c:a libopus -f webm -live 1`,
    // The header of this film contains the frame rate of the camera, but not the number of frames.
    expected: { frameRate: '60/1' },
  }),
  film({
    ...{
      ...small,
      name: 'screen.mkv',
      difficulty: '10 bits 4:4:4, 15 fps, odd size, audio ends early',
    },
    ...{ rate: '15/1', seconds: 9, audio: { to: 3.3, layout: 'mono' } },
    filters: 'scale=601:339,setsar=1',
    encoded: '-c:v libx264 -preset ultrafast -pix_fmt yuv444p10le -c:a flac',
    expected: { width: 601, height: 339 },
  }),
  film({
    ...{
      ...small,
      name: 'action.mp4',
      difficulty: '59.94, vertical HD, rotated, open GOPs, 44.1 kHz',
    },
    ...{ rate: '60000/1001', seconds: 2, size: '720x1280', audio: { sampleRate: 44_100 } },
    filters: inverseRotation[90],
    encoded: `-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 3 -g 30 -x264-params open-gop=1 ${aac}`,
    remux: rotatedClockwise(90),
  }),
  film({
    ...{
      ...small,
      name: 'silent-fragments.mp4',
      difficulty: 'fragmented, no audio, full range, 23.976',
    },
    ...{ rate: '24000/1001', audio: null, seconds: 5 },
    encoded:
      '-c:v libx264 -preset ultrafast -pix_fmt yuvj420p -color_range pc -g 48 ' +
      '-movflags frag_keyframe+empty_moov+default_base_moof',
  }),
  film({
    ...{ ...small, name: 'slow-motion.mov', difficulty: '120 fps, anamorphic, audio is longer' },
    ...{ rate: '120/1', size: '512x288', seconds: 2, audio: { to: 3 } },
    filters: 'scale=360:288,setsar=64/45',
    expected: { frameRate: '60/1' },
  }),
  film({
    ...{ ...brief, name: 'blink.mkv', difficulty: 'half a second, tiny, HEVC, 8 kHz' },
    ...{ size: '128x96', seconds: 0.5, audio: { sampleRate: 8000, layout: 'mono' } },
    encoded: '-c:v libx265 -preset ultrafast -x265-params log-level=error -c:a pcm_s16le',
  }),
]

export const formatsAndCombinations = [...formats, ...combinations]
