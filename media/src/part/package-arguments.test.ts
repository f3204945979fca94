import { expect, it } from 'vitest'
import { planOf } from '../../testing/plans.ts'
import { packageArguments, segmentFile } from './package-arguments.ts'

it('the command line of the packager', () => {
  const frameRate = { numerator: 30_000, denominator: 1001 }
  const plan = planOf({ durationSeconds: 60, frameRate, audioStream: 1 })
  const [opening] = plan.parts
  if (!opening) throw new Error('No opening')
  expect(packageArguments(plan, opening, '/out').join('\n')).toMatchInlineSnapshot(`
    "in=/out/240p.encoded.mp4,stream=video,init_segment=/out/240p/init.mp4,segment_template=/out/240p/packaged-$Number$.m4s
    in=/out/audio.encoded.mp4,stream=audio,init_segment=/out/audio/init.mp4,segment_template=/out/audio/packaged-$Number$.m4s
    --segment_duration
    4.0040000100
    --fragment_duration
    2.0020000100
    --mp4_reset_initial_composition_offset_to_zero=false
    --generate_sidx_in_media_segments=false
    --use_fake_clock_for_muxer
    --quiet"
  `)
})

it('segments are named so that they stand in their order', () => {
  expect(segmentFile('/out', '240p', 7)).toBe('/out/240p/00007.m4s')
  expect(segmentFile('/out', 'audio', 21_600)).toBe('/out/audio/21600.m4s')
})
