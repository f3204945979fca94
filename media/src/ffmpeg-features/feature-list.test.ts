import { describe, expect, it } from 'vitest'
import { parseFeatureNames } from './feature-list.ts'

describe('parsing the lists that ffmpeg prints', () => {
  it('reads encoders and skips the legend', () => {
    const text = [
      'Encoders:',
      ' V..... = Video',
      ' ------',
      ' V....D libx264              libx264 H.264 / AVC (codec h264)',
      ' A....D aac                  AAC (Advanced Audio Coding)',
    ].join('\n')
    expect([...parseFeatureNames('encoders', text)]).toEqual(['libx264', 'aac'])
  })

  it('reads filters', () => {
    const text = [
      '  T.. = Timeline support',
      ' ... abench            A->A       Benchmark part of a filtergraph.',
      ' .S. zscale            V->V       Apply resizing.',
      ' ... anullsrc          |->A       Null audio source.',
    ].join('\n')
    expect([...parseFeatureNames('filters', text)]).toEqual(['abench', 'zscale', 'anullsrc'])
  })

  it('reads demuxers and muxers, with several names on one line', () => {
    const text = ' D  mov,mp4,m4a,3gp,3g2,mj2 QuickTime / MOV\n DE matroska        Matroska\n  E mp4 MP4'
    expect([...parseFeatureNames('demuxers', text)]).toEqual([
      ...['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2', 'matroska'],
    ])
    expect([...parseFeatureNames('muxers', text)]).toEqual(['matroska', 'mp4'])
  })

  it('reads bitstream filters', () => {
    expect([...parseFeatureNames('bsfs', 'Bitstream filters:\naac_adtstoasc\nnoise\n')]).toEqual([
      'aac_adtstoasc',
      'noise',
    ])
  })
})
