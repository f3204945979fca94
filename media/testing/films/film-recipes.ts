/**
 * Test films with one difficulty each. They are small, because tests encode all of them. Where a seam between
 * two parts matters, they are nine seconds long.
 */
import { aac, type Film, film, h264 } from './film.ts'

const small = { size: '640x360', rate: '30/1', seconds: 3 }
const long = { ...small, seconds: 9 }
const brief = { ...small, size: '320x180', seconds: 2 }

/** Arguments for a rotation. The muxer's angle is counterclockwise. */
export const rotatedClockwise = (degrees: 90 | 180 | 270) => ({
  after: ['-metadata:s:v:0', `rotate=${(360 - degrees) % 360}`],
})

/** Inverse of the display rotation. */
export const inverseRotation = {
  90: 'transpose=cclock',
  180: 'hflip,vflip',
  270: 'transpose=clock',
}

const rates: readonly Film[] = [
  film({ ...long, name: 'plain.mp4', difficulty: 'none; moov at the end' }),
  film({
    ...{ ...brief, name: 'long.mp4', difficulty: 'encoded in three parts' },
    ...{ rate: '10/1', seconds: 95 },
  }),
  film({
    ...long,
    name: 'rate-23976.mp4',
    difficulty: 'fractional frame rate',
    rate: '24000/1001',
  }),
  film({
    ...long,
    name: 'rate-25.mp4',
    difficulty: 'audio and video frames never end together',
    rate: '25/1',
  }),
  film({ ...long, name: 'rate-2997.mp4', difficulty: 'mistaken for 30', rate: '30000/1001' }),
  film({ ...small, name: 'rate-50.mp4', difficulty: 'high frame rate', rate: '50/1' }),
  film({
    ...small,
    name: 'rate-5994.mp4',
    difficulty: 'high fractional frame rate',
    rate: '60000/1001',
  }),
  film({
    ...{
      ...brief,
      name: 'rate-120.mp4',
      difficulty: 'above the maximum frame rate',
      rate: '120/1',
    },
    expected: { frameRate: '60/1' },
  }),
  film({ ...long, name: 'rate-15.mp4', difficulty: 'low frame rate', rate: '15/1' }),
  film({ ...small, name: 'rate-12.5.mp4', difficulty: 'low fractional frame rate', rate: '25/2' }),
  film({
    ...{ ...long, name: 'variable-rate.mp4', difficulty: 'variable frame rate', rate: '60/1' },
    filters: variableRate(60),
    encoded: `-vsync vfr ${h264} ${aac}`,
    // The average frame rate of this film is 19 fps.
    expected: { frameRate: '24/1' },
  }),
]

/**
 * Filter that keeps all frames of the first second, every fourth frame of the next one, then every seventh, and
 * all frames with a flash.
 */
export function variableRate(rate: number): string {
  const kept = `if(lt(t,1),1,if(lt(t,2),not(mod(n,4)),not(mod(n,7))))+lt(mod(n,${rate}),${rate / 10})`
  return `select='${kept}'`
}

const shapes: readonly Film[] = [
  film({
    ...{
      ...small,
      name: 'odd.mp4',
      difficulty: 'odd sides, in 4:4:4',
      size: '640x360',
      rate: '24/1',
    },
    filters: 'scale=427:241,setsar=1',
    encoded: `-c:v libx264 -preset ultrafast -crf 23 -pix_fmt yuv444p ${aac}`,
    expected: { width: 427, height: 241 },
  }),
  film({
    ...{ ...small, name: 'odd.webm', difficulty: 'odd sides, in 4:2:0' },
    filters: 'scale=427:241,setsar=1',
    encoded: '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k -c:a libopus',
    expected: { width: 427, height: 241 },
  }),
  film({
    ...{ ...small, name: 'rotated-90.mp4', difficulty: 'rotated by 90 degrees', size: '360x640' },
    ...{ filters: inverseRotation[90], remux: rotatedClockwise(90) },
  }),
  film({
    ...{ ...brief, name: 'rotated-180.mp4', difficulty: 'rotated by 180 degrees' },
    ...{ filters: inverseRotation[180], remux: rotatedClockwise(180) },
  }),
  film({
    ...{ ...brief, name: 'rotated-270.mp4', difficulty: 'rotated by 270 degrees', size: '180x320' },
    ...{ filters: inverseRotation[270], remux: rotatedClockwise(270) },
  }),
  film({
    ...small,
    name: 'vertical.mp4',
    difficulty: 'the shorter side is the width',
    size: '360x640',
  }),
  film({ ...small, name: 'four-three.mp4', difficulty: 'not 16:9', size: '480x360' }),
  film({
    ...{ ...small, name: 'anamorphic.mp4', difficulty: 'anamorphic pixels', size: '512x288' },
    filters: 'scale=360:288,setsar=64/45',
    rate: '25/1',
  }),
  film({
    ...{
      ...small,
      name: 'anamorphic-rotated.mp4',
      difficulty: 'anamorphic and rotated',
      size: '288x512',
    },
    ...{
      filters: `${inverseRotation[90]},scale=360:288,setsar=64/45`,
      remux: rotatedClockwise(90),
    },
  }),
  film({
    ...brief,
    name: 'tiny.mp4',
    difficulty: 'smaller than any rung',
    size: '64x48',
    rate: '15/1',
  }),
  film({ ...brief, name: 'ultrawide.mp4', difficulty: 'very wide', size: '1280x66' }),
  film({ ...brief, name: 'tall.mp4', difficulty: 'very tall', size: '66x640' }),
  film({
    ...brief,
    name: 'high-definition.mp4',
    difficulty: 'untagged HD colors',
    size: '1280x720',
  }),
]

const audios: readonly Film[] = [
  film({ ...small, name: 'no-audio.mp4', difficulty: 'no audio', audio: null, encoded: h264 }),
  film({ ...small, name: 'mono.mp4', difficulty: 'mono', audio: { layout: 'mono' } }),
  film({ ...small, name: 'surround.mp4', difficulty: '5.1', audio: { layout: '5.1' } }),
  film({ ...long, name: 'audio-44100.mp4', difficulty: '44.1 kHz', audio: { sampleRate: 44_100 } }),
  film({
    ...{ ...small, name: 'audio-8000.mp4', difficulty: '8 kHz mono' },
    audio: { sampleRate: 8000, layout: 'mono' },
    encoded: `${h264} -c:a aac -b:a 24k`,
  }),
  film({
    ...long,
    name: 'late-audio.mp4',
    difficulty: 'audio starts after the video',
    audio: { from: 1.2 },
  }),
  film({
    ...long,
    name: 'short-audio.mp4',
    difficulty: 'audio ends before the video',
    audio: { to: 4.5 },
  }),
  film({
    ...small,
    name: 'long-audio.mp4',
    difficulty: 'audio is longer than the video',
    audio: { to: 5.5 },
  }),
  film({
    ...{ ...small, name: 'two-languages.mp4', difficulty: 'two audio tracks and subtitles' },
    inputs: ['-f', 'lavfi', '-i', 'sine=frequency=3000:duration=3', '-i', 'subtitles.srt'],
    encoded:
      `${h264} ${aac} -c:s mov_text -map 0 -map 1 -map 2 -map 3 -metadata:s:a:0 language=eng ` +
      '-metadata:s:a:1 language=ger -disposition:a:0 default -disposition:a:1 0',
  }),
]

const hevc10 = (transfer: string) =>
  '-c:v libx265 -preset ultrafast -crf 26 -pix_fmt yuv420p10le -tag:v hvc1 -x265-params ' +
  `log-level=error:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc ` +
  `-color_primaries bt2020 -color_trc ${transfer} -colorspace bt2020nc`
export const hdr10 = hevc10('smpte2084')
const hlg = hevc10('arib-std-b67')

export const interlaced = (first: 'top' | 'bottom') => ({
  rate: '25/1',
  fields: 2 as const,
  filters: `interlace=scan=${first === 'top' ? 'tff' : 'bff'}`,
  encoded: `${h264} -flags +ilme+ildct -x264-params ${first === 'top' ? 'tff' : 'bff'}=1 ${aac}`,
})

const pixelFormats: readonly Film[] = [
  film({
    ...{ ...small, name: 'ten-bit.mp4', difficulty: '10 bits' },
    encoded: `-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le ${aac}`,
  }),
  film({
    ...{ ...small, name: 'full-color.mp4', difficulty: '4:4:4' },
    encoded: `-c:v libx264 -preset ultrafast -pix_fmt yuv444p ${aac}`,
  }),
  film({
    ...{ ...small, name: 'full-range.mp4', difficulty: 'full range' },
    encoded: `-c:v libx264 -preset ultrafast -pix_fmt yuvj420p -color_range pc ${aac}`,
  }),
  film({ ...brief, name: 'hdr10.mp4', difficulty: 'HDR10', encoded: `${hdr10} ${aac}` }),
  film({
    ...brief,
    name: 'hlg.mp4',
    difficulty: 'HLG',
    encoded: `${hlg} ${aac}`,
  }),
  film({
    ...long,
    name: 'interlaced-top.mp4',
    difficulty: 'interlaced, top field first',
    ...interlaced('top'),
  }),
  film({
    ...small,
    name: 'interlaced-bottom.mp4',
    difficulty: 'interlaced, bottom field first',
    ...interlaced('bottom'),
  }),
  film({ ...brief, name: 'half-second.mp4', difficulty: 'shorter than a segment', seconds: 0.5 }),
  film({
    ...{ ...brief, name: 'one-frame.mp4', difficulty: 'one frame, and audio for three seconds' },
    ...{ rate: '25/1', seconds: 0.04, audio: { to: 3 } },
  }),
]

const structures: readonly Film[] = [
  film({
    ...{ ...small, name: 'index-first.mp4', difficulty: 'moov at the beginning' },
    remux: { after: ['-movflags', '+faststart'] },
  }),
  film({
    ...{ ...small, name: 'cover-first.mp4', difficulty: 'a cover image as the first video stream' },
    remux: {
      before: ['-i', 'cover.jpg'],
      after: [
        ...['-map', '0:v', '-map', '1:v', '-map', '1:a'],
        ...['-disposition:v:0', 'attached_pic', '-disposition:v:1', 'default'],
      ],
    },
  }),
  film({
    ...{
      ...long,
      seconds: 9.5,
      name: 'edit-list.mp4',
      difficulty: 'an edit list cuts the beginning',
    },
    remux: { before: ['-ss', '0.5'] },
    expected: {
      ...{ durationSeconds: 9, audio: { from: 0, to: 9 } },
      pattern: {
        ...{ firstCount: 15, countsPerSecond: 30, firstBeatSeconds: 0.5, secondsPerBeat: 1 },
        lastCount: 284,
      },
    },
  }),
  film({
    ...{ ...long, name: 'open-gop.mp4', difficulty: 'frames that need the previous GOP' },
    encoded: `-c:v libx264 -preset fast -crf 23 -pix_fmt yuv420p -bf 3 -g 24 -x264-params open-gop=1 ${aac}`,
  }),
  film({
    ...{ ...long, name: 'long-gop.mp4', difficulty: 'a single keyframe' },
    encoded: `-c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p -g 600 -sc_threshold 0 ${aac}`,
  }),
  film({
    ...{ ...small, name: 'fragmented.mp4', difficulty: 'fragmented, without an index' },
    encoded: `${h264} -g 30 ${aac} -movflags frag_keyframe+delay_moov+default_base_moof`,
  }),
]

export const singleDifficulties = [...rates, ...shapes, ...audios, ...pixelFormats, ...structures]
