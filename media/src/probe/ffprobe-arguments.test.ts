import { describe, expect, it } from 'vitest'
import { decodeArguments, decodedFrames, ffprobeArguments } from './ffprobe-arguments.ts'

const source = { address: 'http://127.0.0.1:8080/x', protocols: 'http,tcp' }
const lines = (given: readonly string[]) => given.join(' ').replaceAll(' -', '\n-')

describe('command lines of a probe', () => {
  it('match the expected arguments of ffprobe', () => {
    expect(lines(ffprobeArguments(source, 'webm'))).toMatchInlineSnapshot(`
      "-hide_banner
      -loglevel warning
      -print_format json=compact=1
      -show_entries format=format_name,duration,start_time,bit_rate:stream=index,id,time_base,codec_type,codec_name,codec_tag_string,profile,pix_fmt,width,height,sample_aspect_ratio,r_frame_rate,avg_frame_rate,field_order,color_range,color_space,color_transfer,color_primaries,bits_per_raw_sample,bit_rate,start_time,duration,nb_frames,channels,channel_layout,sample_rate:stream_disposition=default,attached_pic,still_image,timed_thumbnails:stream_tags=language,title,DURATION:stream_side_data=side_data_type,rotation:chapter=start_time,end_time:chapter_tags=title
      -threads 1
      -protocol_whitelist http,tcp
      -format_whitelist matroska
      -codec_whitelist:v h264,hevc,av1,vp8,vp9,mpeg4,h263,mpeg1video,mpeg2video,mjpeg,prores,dnxhd,cfhd,dvvideo,ffv1,huffyuv,ffvhuff,utvideo,jpeg2000,rawvideo,v210,qtrle,png,hap,magicyuv,flv1,vp6,vp6f,vp6a,theora,wmv1,wmv2,wmv3,vc1,msmpeg4v1,msmpeg4v2,msmpeg4v3,svq1,svq3,cinepak,msvideo1,rpza,libdav1d,msmpeg4,flv
      -max_pixels 35389440
      -max_streams 300
      -probesize 8388608
      -analyzeduration 5000000
      -f matroska
      -i http://127.0.0.1:8080/x"
    `)
  })

  it('match the expected arguments of ffmpeg, which decodes one frame', () => {
    expect(
      lines(decodeArguments({ address: 'file:/in/source', protocols: 'file' }, 'quicktime', 2)),
    ).toMatchInlineSnapshot(`
      "-hide_banner
      -nostdin
      -loglevel error
      -nostats
      -noautorotate
      -ignore_editlist 1
      -threads 1
      -protocol_whitelist file
      -format_whitelist mov
      -codec_whitelist:v h264,hevc,av1,vp8,vp9,mpeg4,h263,mpeg1video,mpeg2video,mjpeg,prores,dnxhd,cfhd,dvvideo,ffv1,huffyuv,ffvhuff,utvideo,jpeg2000,rawvideo,v210,qtrle,png,hap,magicyuv,flv1,vp6,vp6f,vp6a,theora,wmv1,wmv2,wmv3,vc1,msmpeg4v1,msmpeg4v2,msmpeg4v3,svq1,svq3,cinepak,msvideo1,rpza,libdav1d,msmpeg4,flv
      -max_pixels 35389440
      -max_streams 300
      -probesize 8388608
      -analyzeduration 5000000
      -fflags +ignidx
      -f mov
      -i file:/in/source
      -map 0:2
      -frames:v 1
      -f null
      -progress pipe:1
      -"
    `)
  })
})

it.each([
  ['frame=1\nfps=0\nprogress=end\n', 1],
  ['frame=0\nprogress=continue\nframe=   1\nprogress=end\n', 1],
  ['frame=0\nprogress=end\n', 0],
  ['', 0],
])('decodedFrames(%j) is %i', (progress, frames) => {
  expect(decodedFrames(progress)).toBe(frames)
})
