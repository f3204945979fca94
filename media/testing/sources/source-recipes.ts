/** Recipes of the sources: arguments of ffmpeg, run in this order in the directory of the sources. */

const video = (size: string, rate: number, seconds: number) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`,
]
const tone = (seconds: number, rate = 48_000) => [
  '-f',
  'lavfi',
  '-i',
  `sine=frequency=440:sample_rate=${rate}:duration=${seconds}`,
]
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '30', '-pix_fmt', 'yuv420p']
const aac = ['-c:a', 'aac', '-b:a', '64k']
const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '200k']
const copyOfPlain = ['-i', 'plain.mp4', '-c', 'copy']

const hdrParameters = (transfer: string) => `log-level=error:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`
const hdr = (transfer: string) => [
  ...video('320x180', 30, 1),
  ...['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le'],
  ...['-x265-params', hdrParameters(transfer), '-color_primaries', 'bt2020'],
  ...['-color_trc', transfer, '-colorspace', 'bt2020nc', '-tag:v', 'hvc1'],
]

const surround = Array.from({ length: 6 }, (_, channel) => `0.1*sin(${220 + channel * 55}*t)`).join('|')

export const sourceRecipes: Readonly<Record<string, readonly string[]>> = {
  'plain.mp4': [...video('320x180', 30, 2), ...tone(2), ...x264, ...aac],
  'vertical.mp4': [...video('180x320', 30, 1), ...tone(1), ...x264, ...aac],
  'four-three.mp4': [...video('256x192', 25, 1), ...x264],
  // This video is 4:4:4, because H.264 supports odd sizes only without chroma subsampling. The test source cannot
  // create odd sizes, so its frames are scaled.
  'odd.mp4': [...video('320x180', 24, 1), '-vf', 'scale=213:119,setsar=1,format=yuv444p', '-c:v', 'libx264'],
  'odd.webm': [...video('320x180', 24, 1), ...tone(1), '-vf', 'scale=213:119,setsar=1', ...vp9, '-c:a', 'libopus'],
  'variable-rate.mp4': [
    ...video('320x180', 60, 4),
    ...['-vf', "select='if(lt(t,1),1,not(mod(n,7)))'", '-vsync', 'vfr', ...x264],
  ],
  'no-audio.mp4': [...video('320x180', 30, 1), ...x264],
  'surround.mp4': [
    ...video('320x180', 30, 1),
    ...['-f', 'lavfi', '-i', `aevalsrc=exprs=${surround}:channel_layout=5.1:sample_rate=48000:duration=1`],
    ...[...x264, '-c:a', 'aac'],
  ],
  // The muxer's rotation angle is counterclockwise.
  'rotated-90.mp4': [...copyOfPlain, '-metadata:s:v:0', 'rotate=270'],
  'rotated-180.mp4': [...copyOfPlain, '-metadata:s:v:0', 'rotate=180'],
  'rotated-270.mp4': [...copyOfPlain, '-metadata:s:v:0', 'rotate=90'],
  'hdr10.mp4': hdr('smpte2084'),
  'hlg.mp4': hdr('arib-std-b67'),
  'ten-bit.mp4': [...video('320x180', 30, 1), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le'],
  'short.mp4': [...video('320x180', 30, 0.5), ...tone(0.5), ...x264, ...aac],
  'one-frame.mp4': [...video('320x180', 25, 0.04), ...x264],
  'anamorphic.mp4': [...video('180x144', 25, 1), '-vf', 'setsar=64/45', ...x264],
  'anamorphic-rotated.mp4': ['-i', 'anamorphic.mp4', '-c', 'copy', '-metadata:s:v:0', 'rotate=90'],
  'unknown-aspect.mp4': [...video('320x180', 25, 1), '-vf', 'setsar=0/1', ...x264],
  'interlaced.mp4': [...video('320x180', 50, 1), '-vf', 'interlace=scan=tff', '-flags', '+ilme+ildct', ...x264],
  'audio-only.m4a': [...tone(2, 22_050), '-ac', '1', '-c:a', 'aac'],
  'late-audio.mp4': [...video('320x180', 30, 3), '-itsoffset', '1.2', ...tone(1), ...x264, ...aac],
  'cover.jpg': [...video('100x100', 1, 1), '-frames:v', '1'],
  'cover.mp3': [
    ...[...tone(1), '-i', 'cover.jpg', '-map', '0:a', '-map', '1:v'],
    ...['-c:a', 'libmp3lame', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic'],
  ],
  'cover-first.mp4': [
    ...['-i', 'cover.jpg', '-i', 'plain.mp4', '-map', '0:v', '-map', '1:v', '-map', '1:a', '-c', 'copy'],
    ...['-disposition:v:0', 'attached_pic', '-disposition:v:1', 'default'],
  ],
  'cover-only.m4a': [
    ...['-i', 'audio-only.m4a', '-i', 'cover.jpg', '-map', '0:a', '-map', '1:v', '-c', 'copy'],
    ...['-disposition:v:0', 'attached_pic'],
  ],
  'ultrawide.mp4': [...video('640x66', 30, 1), ...x264],
  'tiny.mp4': [...video('64x48', 15, 1), ...x264],
  'full-range.mp4': [
    ...video('320x180', 30, 1),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuvj420p', '-color_range', 'pc'],
  ],
  'fast.mp4': [...video('160x90', 120, 1), ...x264],
  'edit-list.mp4': ['-ss', '0.5', ...copyOfPlain],
  'two-languages.mp4': [
    ...['-i', 'plain.mp4', ...tone(2, 44_100), '-i', 'subtitles.srt'],
    ...['-map', '0:v', '-map', '0:a', '-map', '1:a', '-map', '2:s', '-c:v', 'copy', ...aac, '-c:s', 'mov_text'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=ger', '-metadata:s:s:0', 'language=eng'],
  ],
  'chapters.mkv': ['-i', 'plain.mp4', '-i', 'chapters.ffmetadata', '-map_metadata', '1', '-c', 'copy'],
  // This video is like a browser recording: no index, and no duration.
  'live.webm': [...video('320x180', 30, 3), ...tone(3), ...vp9, '-c:a', 'libopus', '-f', 'webm', '-live', '1'],
  // This recording is like `live.webm`, with timestamps that start at one hour.
  'joined-late.webm': [
    ...[...video('320x180', 30, 3), ...tone(3), ...vp9, '-c:a', 'libopus'],
    ...['-output_ts_offset', '3600', '-f', 'webm', '-live', '1'],
  ],
  'fragmented.mp4': [
    ...video('320x180', 30, 3),
    ...[...x264, '-g', '30', '-movflags', 'frag_keyframe+empty_moov+default_base_moof+skip_trailer'],
  ],
  'fragmented-indexed.mp4': [
    ...video('320x180', 30, 3),
    ...[...x264, '-g', '30', '-movflags', 'frag_keyframe+empty_moov+default_base_moof'],
  ],
  // The last fragment of this video has only audio, and follows the bytes that ffprobe reads.
  'fragmented-longer-audio.mp4': [
    ...[...video('160x90', 25, 6), ...tone(12), ...x264, ...aac, '-frag_duration', '3000000'],
    ...['-movflags', 'empty_moov+default_base_moof+skip_trailer'],
  ],
  'moov-first.mp4': [...copyOfPlain, '-movflags', '+faststart'],
  'plain.mov': copyOfPlain,
  'plain.mkv': copyOfPlain,
  'plain.ts': copyOfPlain,
  'plain.m2ts': [...copyOfPlain, '-f', 'mpegts', '-mpegts_m2ts_mode', '1'],
  'plain.flv': copyOfPlain,
  'plain.avi': ['-i', 'plain.mp4', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'plain.mpg': ['-i', 'plain.mp4', '-c:v', 'mpeg2video', '-c:a', 'mp2', '-f', 'vob'],
  'plain.wmv': ['-i', 'plain.mp4', '-c:v', 'wmv2', '-c:a', 'wmav2'],
  'plain.mxf': ['-i', 'plain.mp4', '-c:v', 'mpeg2video', '-c:a', 'pcm_s16le', '-r', '25'],
  'plain.ogv': ['-i', 'plain.mp4', '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  'plain.webm': [...video('320x180', 30, 2), ...tone(2), ...vp9, '-c:a', 'libopus'],
  'animation.gif': [...video('64x48', 5, 1)],
  'lossless.avi': ['-i', 'tiny.mp4', '-c:v', 'zmbv'],
}

/** Text files that are written before ffmpeg runs. */
export const textSources: Readonly<Record<string, string>> = {
  'subtitles.srt': '1\n00:00:00,500 --> 00:00:01,500\nhello subtitle\n',
  'chapters.ffmetadata': [
    ';FFMETADATA1',
    ...['[CHAPTER]', 'TIMEBASE=1/1000', 'START=0', 'END=750', 'title=Opening'],
    ...['[CHAPTER]', 'TIMEBASE=1/1000', 'START=750', 'END=2000', 'title=Zürich \u{1f3ac}'],
  ].join('\n'),
}
