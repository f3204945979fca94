/**
 * Films with one trap each. Small, because every one of them is encoded by tests; of nine seconds
 * where a seam between two parts matters.
 */
import { aac, type Film, film, h264 } from './film.ts'

const small = { size: '640x360', rate: '30/1', seconds: 3 }
const long = { ...small, seconds: 9 }
const brief = { ...small, size: '320x180', seconds: 2 }

/** The muxer takes the angle counterclockwise. */
export const turnedClockwise = (degrees: 90 | 180 | 270) => ({
  after: ['-metadata:s:v:0', `rotate=${(360 - degrees) % 360}`],
})

/** Against the way in which it is shown afterwards. */
export const turnedBack = { 90: 'transpose=cclock', 180: 'hflip,vflip', 270: 'transpose=clock' }

const rates: readonly Film[] = [
  film({ ...long, name: 'plain.mp4', trap: 'none; its index stands last' }),
  film({
    ...{ ...brief, name: 'long.mp4', trap: 'so long that it is made in three parts' },
    ...{ rate: '10/1', seconds: 95 },
  }),
  film({
    ...long,
    name: 'rate-23976.mp4',
    trap: 'times that are no whole numbers',
    rate: '24000/1001',
  }),
  film({
    ...long,
    name: 'rate-25.mp4',
    trap: 'a sound frame and a picture never end together',
    rate: '25/1',
  }),
  film({ ...long, name: 'rate-2997.mp4', trap: 'taken for 30', rate: '30000/1001' }),
  film({ ...small, name: 'rate-50.mp4', trap: 'fast', rate: '50/1' }),
  film({ ...small, name: 'rate-5994.mp4', trap: 'fast, and no whole number', rate: '60000/1001' }),
  film({
    ...{ ...brief, name: 'rate-120.mp4', trap: 'faster than is made', rate: '120/1' },
    expected: { frameRate: '60/1' },
  }),
  film({ ...long, name: 'rate-15.mp4', trap: 'slow', rate: '15/1' }),
  film({ ...small, name: 'rate-12.5.mp4', trap: 'slow, and no whole number', rate: '25/2' }),
  film({
    ...{ ...long, name: 'variable-rate.mp4', trap: 'pictures come when they come', rate: '60/1' },
    filters: uneven(60),
    encoded: `-vsync vfr ${h264} ${aac}`,
    // There are 19 a second on average.
    expected: { frameRate: '24/1' },
  }),
]

/** All of the first second, then one in four and one in seven; and the flashes. */
export function uneven(rate: number): string {
  const kept = `if(lt(t,1),1,if(lt(t,2),not(mod(n,4)),not(mod(n,7))))+lt(mod(n,${rate}),${rate / 10})`
  return `select='${kept}'`
}

const shapes: readonly Film[] = [
  film({
    ...{ ...small, name: 'odd.mp4', trap: 'odd sides, in 4:4:4', size: '640x360', rate: '24/1' },
    filters: 'scale=427:241,setsar=1',
    encoded: `-c:v libx264 -preset ultrafast -crf 23 -pix_fmt yuv444p ${aac}`,
    expected: { width: 427, height: 241 },
  }),
  film({
    ...{ ...small, name: 'odd.webm', trap: 'odd sides, in 4:2:0' },
    filters: 'scale=427:241,setsar=1',
    encoded: '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k -c:a libopus',
    expected: { width: 427, height: 241 },
  }),
  film({
    ...{ ...small, name: 'rotated-90.mp4', trap: 'stored lying, shown upright', size: '360x640' },
    ...{ filters: turnedBack[90], copying: turnedClockwise(90) },
  }),
  film({
    ...{ ...brief, name: 'rotated-180.mp4', trap: 'stored on its head' },
    ...{ filters: turnedBack[180], copying: turnedClockwise(180) },
  }),
  film({
    ...{ ...brief, name: 'rotated-270.mp4', trap: 'turned the other way', size: '180x320' },
    ...{ filters: turnedBack[270], copying: turnedClockwise(270) },
  }),
  film({ ...small, name: 'vertical.mp4', trap: 'its shorter side is its width', size: '360x640' }),
  film({ ...small, name: 'four-three.mp4', trap: 'not 16:9', size: '480x360' }),
  film({
    ...{ ...small, name: 'anamorphic.mp4', trap: 'pixels are not square', size: '512x288' },
    filters: 'scale=360:288,setsar=64/45',
    rate: '25/1',
  }),
  film({
    ...{
      ...small,
      name: 'anamorphic-rotated.mp4',
      trap: 'stretched, then turned',
      size: '288x512',
    },
    ...{ filters: `${turnedBack[90]},scale=360:288,setsar=64/45`, copying: turnedClockwise(90) },
  }),
  film({ ...brief, name: 'tiny.mp4', trap: 'smaller than any rung', size: '64x48', rate: '15/1' }),
  film({ ...brief, name: 'ultrawide.mp4', trap: 'twenty times as wide as high', size: '1280x66' }),
  film({ ...brief, name: 'tall.mp4', trap: 'ten times as high as wide', size: '66x640' }),
  film({
    ...brief,
    name: 'high-definition.mp4',
    trap: 'untagged, in the colours of HD',
    size: '1280x720',
  }),
]

const sounds: readonly Film[] = [
  film({ ...small, name: 'no-audio.mp4', trap: 'silent film', sound: null, encoded: h264 }),
  film({ ...small, name: 'mono.mp4', trap: 'one channel', sound: { layout: 'mono' } }),
  film({ ...small, name: 'surround.mp4', trap: 'six channels', sound: { layout: '5.1' } }),
  film({ ...long, name: 'sound-44100.mp4', trap: 'resampled', sound: { sampleRate: 44_100 } }),
  film({
    ...{ ...small, name: 'sound-8000.mp4', trap: 'a telephone' },
    sound: { sampleRate: 8000, layout: 'mono' },
    encoded: `${h264} -c:a aac -b:a 24k`,
  }),
  film({
    ...long,
    name: 'late-audio.mp4',
    trap: 'sound begins after the picture',
    sound: { from: 1.2 },
  }),
  film({
    ...long,
    name: 'short-audio.mp4',
    trap: 'sound ends before the picture',
    sound: { to: 4.5 },
  }),
  film({
    ...small,
    name: 'long-audio.mp4',
    trap: 'sound outlasts the picture',
    sound: { to: 5.5 },
  }),
  film({
    ...{ ...small, name: 'two-languages.mp4', trap: 'two sounds and a subtitle' },
    inputs: ['-f', 'lavfi', '-i', 'sine=frequency=3000:duration=3', '-i', 'words.srt'],
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

const pictures: readonly Film[] = [
  film({
    ...{ ...small, name: 'ten-bit.mp4', trap: '10 bits, which few devices decode' },
    encoded: `-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le ${aac}`,
  }),
  film({
    ...{ ...small, name: 'full-colour.mp4', trap: '4:4:4, which few devices decode' },
    encoded: `-c:v libx264 -preset ultrafast -pix_fmt yuv444p ${aac}`,
  }),
  film({
    ...{ ...small, name: 'full-range.mp4', trap: 'black is 0 and white 255' },
    encoded: `-c:v libx264 -preset ultrafast -pix_fmt yuvj420p -color_range pc ${aac}`,
  }),
  film({ ...brief, name: 'hdr10.mp4', trap: 'high dynamic range', encoded: `${hdr10} ${aac}` }),
  film({
    ...brief,
    name: 'hlg.mp4',
    trap: 'high dynamic range of television',
    encoded: `${hlg} ${aac}`,
  }),
  film({
    ...long,
    name: 'interlaced-top.mp4',
    trap: 'two fields in a picture',
    ...interlaced('top'),
  }),
  film({
    ...small,
    name: 'interlaced-bottom.mp4',
    trap: 'the lower field first',
    ...interlaced('bottom'),
  }),
  film({ ...brief, name: 'half-second.mp4', trap: 'shorter than a segment', seconds: 0.5 }),
  film({
    ...{ ...brief, name: 'one-picture.mp4', trap: 'one picture, and sound for three seconds' },
    ...{ rate: '25/1', seconds: 0.04, sound: { to: 3 } },
  }),
]

const structures: readonly Film[] = [
  film({
    ...{ ...small, name: 'index-first.mp4', trap: 'its index stands first' },
    copying: { after: ['-movflags', '+faststart'] },
  }),
  film({
    ...{ ...small, name: 'cover-first.mp4', trap: 'a cover as the first picture stream' },
    copying: {
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
      trap: 'its beginning is cut off by an edit list',
    },
    copying: { before: ['-ss', '0.5'] },
    expected: {
      ...{ durationSeconds: 9, sound: { from: 0, to: 9 } },
      pattern: {
        ...{ firstCount: 15, countsPerSecond: 30, firstBeatSeconds: 0.5, secondsPerBeat: 1 },
        lastCount: 284,
      },
    },
  }),
  film({
    ...{ ...long, name: 'open-gop.mp4', trap: 'pictures that need the group before theirs' },
    encoded: `-c:v libx264 -preset fast -crf 23 -pix_fmt yuv420p -bf 3 -g 24 -x264-params open-gop=1 ${aac}`,
  }),
  film({
    ...{ ...long, name: 'long-gop.mp4', trap: 'one keyframe, nine seconds away' },
    encoded: `-c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p -g 600 -sc_threshold 0 ${aac}`,
  }),
  film({
    ...{ ...small, name: 'fragmented.mp4', trap: 'in pieces, with no index' },
    encoded: `${h264} -g 30 ${aac} -movflags frag_keyframe+delay_moov+default_base_moof`,
  }),
]

export const singleTraps = [...rates, ...shapes, ...sounds, ...pictures, ...structures]
