/** Films in other codecs and containers, and films in which several traps come together, as they do in the world. */
import { aac, type Film, film, h264 } from './film.ts'
import { hdr10, interlaced, turnedBack, turnedClockwise, uneven } from './film-recipes.ts'

const small = { size: '640x360', rate: '30/1', seconds: 3 }
const brief = { ...small, size: '320x180', seconds: 2 }
const vp9 = '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k'

const formats: readonly Film[] = [
  film({ ...small, name: 'vp9.webm', trap: 'VP9 and Opus', encoded: `${vp9} -c:a libopus` }),
  film({
    ...{ ...small, name: 'live.webm', trap: "a browser's recorder: no duration, no index" },
    encoded: `${vp9} -c:a libopus -f webm -live 1`,
  }),
  film({
    ...{ ...brief, name: 'av1.mp4', trap: 'AV1' },
    encoded: `-c:v libsvtav1 -preset 10 -crf 40 ${aac}`,
  }),
  film({
    ...{ ...brief, name: 'hevc.mp4', trap: 'HEVC' },
    encoded: `-c:v libx265 -preset ultrafast -x265-params log-level=error -tag:v hvc1 ${aac}`,
  }),
  film({
    ...{ ...small, name: 'prores.mov', trap: 'ProRes 4:2:2 and uncompressed sound', rate: '24/1' },
    encoded: '-c:v prores -profile:v 0 -pix_fmt yuv422p10le -c:a pcm_s16le',
  }),
  film({
    ...{
      ...small,
      name: 'broadcast.ts',
      trap: 'times do not begin at 0',
      seconds: 9,
      rate: '25/1',
    },
    encoded: '-c:v mpeg2video -b:v 1M -g 12 -bf 2 -c:a mp2 -b:a 128k',
  }),
  film({
    ...{ ...small, name: 'mpeg4.avi', trap: 'MPEG-4 part 2 and AC-3' },
    encoded: '-c:v mpeg4 -b:v 800k -c:a ac3',
  }),
  film({
    ...{ ...small, name: 'mjpeg.avi', trap: 'a camera of stills: every picture by itself' },
    encoded: '-c:v mjpeg -q:v 5 -pix_fmt yuvj420p -c:a pcm_s16le',
  }),
  film({
    ...{ ...small, name: 'sorenson.flv', trap: 'Flash', sound: { sampleRate: 44_100 } },
    encoded: '-c:v flv -b:v 800k -c:a libmp3lame',
  }),
  film({
    ...{ ...small, name: 'windows.wmv', trap: 'Windows Media: times in whole milliseconds' },
    encoded: '-c:v wmv2 -b:v 800k -c:a wmav2',
    // The codec swallows its first block, and the container counts one more at the end.
    expected: { durationSeconds: 3.086, sound: { from: 0.1, to: 3 } },
  }),
  film({
    ...{ ...small, name: 'disc.mpg', trap: 'a program stream', rate: '25/1' },
    encoded: '-c:v mpeg2video -b:v 1M -c:a mp2 -f vob',
  }),
  film({
    ...{ ...small, name: 'matroska.mkv', trap: 'times in whole milliseconds', rate: '24000/1001' },
    encoded: `${h264} -c:a ac3`,
  }),
  film({
    ...{
      ...small,
      name: 'theora.ogv',
      trap: 'Vorbis, whose blocks do not last as long as they say',
    },
    encoded: '-c:v libtheora -q:v 6 -c:a libvorbis',
  }),
]

/** By which AC-3 begins before what it was given, and three pictures. */
const AC3_SECONDS = 256 / 48_000
const EARLY_SECONDS = 3 / 25

const combinations: readonly Film[] = [
  film({
    ...{ ...small, name: 'sound-first.ts', trap: 'sound begins exactly three pictures early' },
    ...{ rate: '25/1', sound: { from: AC3_SECONDS - EARLY_SECONDS, to: 3 } },
    encoded: '-c:v mpeg2video -b:v 1M -g 12 -bf 2 -c:a ac3',
    expected: { durationSeconds: 3 + EARLY_SECONDS, sound: { from: 0, to: 3 } },
  }),
  film({
    ...{ ...small, name: 'phone.mp4', trap: 'rotated, variable rate, mono, odd', size: '360x640' },
    ...{ rate: '60/1', seconds: 9, sound: { layout: 'mono', sampleRate: 44_100 } },
    filters: `${uneven(60)},${turnedBack[90]},scale=427:241,setsar=1`,
    encoded: `-vsync vfr -c:v libx264 -preset ultrafast -pix_fmt yuv444p ${aac}`,
    copying: turnedClockwise(90),
    expected: { width: 241, height: 427, frameRate: '24/1' },
  }),
  film({
    ...{ ...brief, name: 'bright-phone.mp4', trap: 'HDR, vertical, 5.1, rotated' },
    ...{ size: '180x320', sound: { layout: '5.1' } },
    ...{ filters: turnedBack[270], copying: turnedClockwise(270), encoded: `${hdr10} ${aac}` },
  }),
  film({
    ...{ ...small, ...interlaced('top'), name: 'tape.mp4' },
    ...{ trap: 'anamorphic, interlaced, late sound', size: '512x288', sound: { from: 0.8 } },
    filters: 'scale=360:288,setsar=64/45,interlace=scan=tff',
  }),
  film({
    ...{
      ...small,
      name: 'late-broadcast.ts',
      trap: 'interlaced 29.97, 5.1, an hour into its clock',
    },
    ...{ rate: '30000/1001', fields: 2, sound: { layout: '5.1' }, seconds: 5 },
    filters: 'interlace=scan=tff',
    encoded: '-c:v mpeg2video -b:v 2M -flags +ilme+ildct -top 1 -c:a ac3 -output_ts_offset 3600',
  }),
  film({
    ...{ ...small, name: 'call.webm', trap: 'variable rate, late sound, mono, no duration' },
    ...{ rate: '60/1', sound: { from: 0.7, layout: 'mono' }, seconds: 5 },
    filters: uneven(60),
    encoded: `-vsync vfr ${vp9} -c:a libopus -f webm -live 1`,
    // Its header tells the rate of its camera, and none how many pictures there are.
    expected: { frameRate: '60/1' },
  }),
  film({
    ...{
      ...small,
      name: 'screen.mkv',
      trap: '10 bits 4:4:4, 15 a second, odd, sound that ends early',
    },
    ...{ rate: '15/1', seconds: 9, sound: { to: 3.3, layout: 'mono' } },
    filters: 'scale=601:339,setsar=1',
    encoded: '-c:v libx264 -preset ultrafast -pix_fmt yuv444p10le -c:a flac',
    expected: { width: 601, height: 339 },
  }),
  film({
    ...{ ...small, name: 'action.mp4', trap: '59.94, vertical HD, rotated, open groups, 44.1 kHz' },
    ...{ rate: '60000/1001', seconds: 2, size: '720x1280', sound: { sampleRate: 44_100 } },
    filters: turnedBack[90],
    encoded: `-c:v libx264 -preset veryfast -pix_fmt yuv420p -bf 3 -g 30 -x264-params open-gop=1 ${aac}`,
    copying: turnedClockwise(90),
  }),
  film({
    ...{ ...small, name: 'silent-pieces.mp4', trap: 'fragmented, no sound, full range, 23.976' },
    ...{ rate: '24000/1001', sound: null, seconds: 5 },
    encoded:
      '-c:v libx264 -preset ultrafast -pix_fmt yuvj420p -color_range pc -g 48 ' +
      '-movflags frag_keyframe+empty_moov+default_base_moof',
  }),
  film({
    ...{ ...small, name: 'slow-motion.mov', trap: '120 a second, anamorphic, sound outlasts it' },
    ...{ rate: '120/1', size: '512x288', seconds: 2, sound: { to: 3 } },
    filters: 'scale=360:288,setsar=64/45',
    expected: { frameRate: '60/1' },
  }),
  film({
    ...{ ...brief, name: 'blink.mkv', trap: 'half a second, tiny, HEVC, 8 kHz' },
    ...{ size: '128x96', seconds: 0.5, sound: { sampleRate: 8000, layout: 'mono' } },
    encoded: '-c:v libx265 -preset ultrafast -x265-params log-level=error -c:a pcm_s16le',
  }),
]

export const formatsAndCombinations = [...formats, ...combinations]
