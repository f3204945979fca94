import { describe, expect, it } from 'vitest'
import { planOf, rungOf } from '../../../testing/plans.ts'
import type { Plan } from '../../plan/plan.ts'
import type { Container } from '../../probe/container/container.ts'
import { encodeArguments } from './encode-arguments.ts'

const input = { address: 'http://127.0.0.1:8080/x', protocols: 'http,tcp' }
const lines = (plan: Plan, number: number, container: Container = 'mp4') => {
  const part = plan.parts[number]
  if (!part) throw new Error('no such part')
  const all = encodeArguments({ plan, part, input: { ...input, container }, directory: '/out' })
  return all
    .join(' ')
    .replaceAll(/ (?=-[a-z])/g, '\n')
    .replaceAll(';', ';\n  ')
}
const optionIn = (text: string, option: string) => text.split('\n').find((line) => line.startsWith(`${option} `))

describe('command line of a part', () => {
  const rungs = [rungOf('240p', 426, 240), rungOf('720p', 1280, 720)]
  const frameRate = { numerator: 30_000, denominator: 1001 }
  const plan = planOf({ durationSeconds: 60, frameRate, rungs, audioStream: 1 })

  it('encodes the smallest rung and the audio for the first part', () => {
    expect(lines(plan, 0)).toMatchInlineSnapshot(`
      "-hide_banner
      -nostdin
      -y
      -loglevel warning
      -nostats
      -progress pipe:1
      -stats_period 0.5
      -max_error_rate 1
      -copyts
      -start_at_zero
      -protocol_whitelist http,tcp
      -format_whitelist mov
      -codec_whitelist:v h264,hevc,av1,vp8,vp9,mpeg4,h263,mpeg1video,mpeg2video,mjpeg,prores,dnxhd,cfhd,dvvideo,ffv1,huffyuv,ffvhuff,utvideo,jpeg2000,rawvideo,v210,qtrle,png,hap,magicyuv,flv1,vp6,vp6f,vp6a,theora,wmv1,wmv2,wmv3,vc1,msmpeg4v1,msmpeg4v2,msmpeg4v3,svq1,svq3,cinepak,msvideo1,rpza,libdav1d,msmpeg4,flv
      -max_pixels 35389440
      -max_streams 300
      -probesize 8388608
      -analyzeduration 5000000
      -fflags +ignidx
      -reinit_filter:v 0
      -f mov
      -i http://127.0.0.1:8080/x
      -filter_complex [0:0]setpts='if(gt(PTS,9.008000/TB),9.008000/TB,PTS)',fps=30000/1001:round=near,tpad=stop=-1:stop_mode=clone,trim=start_pts=0:end_pts=240,fps=30000/1001:start_time=0.000000[s0];
        [s0]scale=426:240:flags=bicubic:in_color_matrix=auto:out_color_matrix=bt709:in_range=auto:out_range=tv,format=yuv420p,setsar=1[v0]
      -filter_complex [0:1]asetpts='if(gt(abs(PTS-NB_CONSUMED_SAMPLES-ld(0)),SR/20)+eq(N,0),st(0,PTS-NB_CONSUMED_SAMPLES),st(0,ld(0)+(PTS-NB_CONSUMED_SAMPLES-ld(0))/32));
        NB_CONSUMED_SAMPLES+round(ld(0))',atrim=start=-0.106667:end=9.085333,aresample=48000,aresample=async=1000:first_pts=-5120,aformat=sample_fmts=fltp:channel_layouts=stereo,alimiter=limit=1:level=0:attack=5:release=50:latency=1[sound];
        anullsrc=sample_rate=48000:channel_layout=stereo,atrim=end_sample=393216[silence];
        [silence][sound]amix=duration=first:normalize=0,asetpts=N+-5120,asplit[a][all];
        [all]asetnsamples=n=1024:p=0[peaks]
      -map [v0]
      -map_metadata -1
      -map_chapters -1
      -dn
      -sn
      -frames:v 240
      -fps_mode passthrough
      -c:v libx264
      -preset veryfast
      -profile:v high
      -crf 23
      -maxrate 3067200
      -bufsize 6134400
      -g 60
      -keyint_min 60
      -sc_threshold 0
      -flags +cgop
      -bf 2
      -colorspace bt709
      -color_primaries bt709
      -color_trc bt709
      -color_range tv
      -video_track_timescale 30000
      -movflags +empty_moov+default_base_moof+frag_discont+frag_keyframe+skip_trailer
      -use_editlist 0
      -avoid_negative_ts disabled
      -f mp4 /out/240p.encoded.mp4
      -map [a]
      -map_metadata -1
      -map_chapters -1
      -dn
      -sn
      -c:a aac
      -b:a 128000
      -ar 48000
      -ac 2
      -bsf:a noise=drop='lt(pts,0)+gte(pts,385024)+if(gte(pts,ld(0)),0*st(0,pts+1),1)'
      -frag_duration 2000000
      -movflags +empty_moov+default_base_moof+frag_discont+frag_keyframe+skip_trailer
      -use_editlist 0
      -avoid_negative_ts disabled
      -f mp4 /out/audio.encoded.mp4
      -map [peaks]
      -map_metadata -1
      -map_chapters -1
      -dn
      -sn
      -c:a pcm_s16le
      -bsf:a noise=drop='lt(pts,0)+gte(pts,385024)+if(gte(pts,ld(0)),0*st(0,pts+1),1)'
      -f s16le /out/audio.samples"
    `)
  })

  it('encodes all rungs for a chunk, some of which start later than others', () => {
    const opening = lines(plan, 0).split('\n')
    const different = lines(plan, 1)
      .split('\n')
      .filter((line) => !opening.includes(line))
    expect(different.join('\n')).toMatchInlineSnapshot(`
      "-filter_complex [0:0]setpts='if(gt(PTS,41.040000/TB),41.040000/TB,PTS)',fps=30000/1001:round=near,tpad=stop=-1:stop_mode=clone,trim=start_pts=0:end_pts=1200,fps=30000/1001:start_time=0.000000,split=2[s0][s1];
        [s0]scale=1280:720:flags=bicubic:in_color_matrix=auto:out_color_matrix=bt709:in_range=auto:out_range=tv,format=yuv420p,setsar=1[v0];
        [s1]trim=start_pts=240,scale=426:240:flags=bicubic:in_color_matrix=auto:out_color_matrix=bt709:in_range=auto:out_range=tv,format=yuv420p,setsar=1[v1]
        NB_CONSUMED_SAMPLES+round(ld(0))',atrim=start=7.893333:end=41.106667,aresample=48000,aresample=async=1000:first_pts=378880,aformat=sample_fmts=fltp:channel_layouts=stereo,alimiter=limit=1:level=0:attack=5:release=50:latency=1[sound];
        anullsrc=sample_rate=48000:channel_layout=stereo,atrim=end_sample=1546240[silence];
        [silence][sound]amix=duration=first:normalize=0,asetpts=N+378880,asplit[a][all];
      -frames:v 1200
      -maxrate 27648000
      -bufsize 55296000
      -f mp4 /out/720p.encoded.mp4
      -map [v1]
      -frames:v 960
      -bsf:a noise=drop='lt(pts,385024)+gte(pts,1922048)+if(gte(pts,ld(0)),0*st(0,pts+1),1)'
      -bsf:a noise=drop='lt(pts,385024)+gte(pts,1922048)+if(gte(pts,ld(0)),0*st(0,pts+1),1)'"
    `)
  })

  it('seeks to one second before the part, and to 12 seconds before it in containers without an index', () => {
    // Encoding of the audio starts some frames before the chunk, which starts at 40.04 s.
    expect(optionIn(lines(plan, 2), '-ss')).toBe('-ss 38.893333')
    expect(optionIn(lines(plan, 2, 'mpegts'), '-ss')).toBe('-ss 27.893333')
  })

  it('shifts the file so that its first frame is on the frame grid', () => {
    const shifted = { ...plan, picture: { ...plan.picture, startSeconds: 0.021 } }
    const late = lines(shifted, 2)
    expect(optionIn(late, '-itsoffset')).toBe('-itsoffset 0.012367')
    expect(optionIn(late, '-ss')).toBe('-ss 38.880967')
  })

  it('deinterlaces first, then tone-maps once at the size of the largest rung', () => {
    const heavy = planOf({
      ...{ durationSeconds: 60, rungs },
      picture: { isDeinterlaced: true, isToneMapped: true, inputMatrix: 'bt601' },
    })
    expect(optionIn(lines(heavy, 1), '-filter_complex')).toMatch(
      /^-filter_complex \[0:0\]bwdif=mode=send_frame,setpts=/,
    )
    expect(lines(heavy, 1)).toContain(',zscale=w=1280:h=720:f=bicubic:t=linear:npl=100,')
    expect(lines(heavy, 1)).toContain('scale=426:240:flags=bicubic:in_color_matrix=bt709:')
  })
})
