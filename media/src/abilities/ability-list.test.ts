import { describe, expect, it } from 'vitest'
import { namesIn } from './ability-list.ts'

describe('a list of ffmpeg', () => {
  it('of encoders: the legend is none of them', () => {
    const text = [
      'Encoders:',
      ' V..... = Video',
      ' ------',
      ' V....D libx264              libx264 H.264 / AVC (codec h264)',
      ' A....D aac                  AAC (Advanced Audio Coding)',
    ].join('\n')
    expect([...namesIn('encoders', text)]).toEqual(['libx264', 'aac'])
  })

  it('of filters', () => {
    const text = [
      '  T.. = Timeline support',
      ' ... abench            A->A       Benchmark part of a filtergraph.',
      ' .S. zscale            V->V       Apply resizing.',
      ' ... anullsrc          |->A       Null audio source.',
    ].join('\n')
    expect([...namesIn('filters', text)]).toEqual(['abench', 'zscale', 'anullsrc'])
  })

  it('of demuxers: a line may stand for several names', () => {
    const text =
      ' D  mov,mp4,m4a,3gp,3g2,mj2 QuickTime / MOV\n DE matroska        Matroska\n  E mp4 MP4'
    expect([...namesIn('demuxers', text)]).toEqual([
      ...['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2', 'matroska'],
    ])
    expect([...namesIn('muxers', text)]).toEqual(['matroska', 'mp4'])
  })

  it('of bitstream filters', () => {
    expect([...namesIn('bsfs', 'Bitstream filters:\naac_adtstoasc\nnoise\n')]).toEqual([
      'aac_adtstoasc',
      'noise',
    ])
  })
})
