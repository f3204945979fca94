import { expect, it } from 'vitest'
import { encryptionOf } from '../../../testing/encryptions.ts'
import { planOf } from '../../../testing/plans.ts'
import { encryptionFlags } from '../../encryption/packager-flags.ts'
import { packageArguments, segmentFile } from './package-arguments.ts'

it('the command line of the packager matches the expected arguments', () => {
  const frameRate = { numerator: 30_000, denominator: 1001 }
  const plan = planOf({ durationSeconds: 60, frameRate, audioStream: 1 })
  const [opening] = plan.parts
  if (!opening) throw new Error('no opening')
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

it('the keys of an encrypted part are in a file, not on the command line', () => {
  const plan = planOf({ durationSeconds: 60, audioStream: 1 })
  const [, chunk] = plan.parts
  if (!chunk) throw new Error('no chunk')
  const given = packageArguments(plan, chunk, '/out', true)
  expect(given).toContain('--flagfile=/out/encryption.flags')
  expect(given.slice(0, 3).map((stream) => stream.split(',').at(-1))).toEqual([
    'drm_label=240p',
    'drm_label=360p',
    'drm_label=audio',
  ])
  const encryption = encryptionOf('cenc')
  for (const { key } of encryption.keys) expect(given.join()).not.toContain(key.toString('hex'))
  expect(encryptionFlags(encryption, plan, chunk, 0xabcdef)).toBe(`--enable_raw_key_encryption
--protection_scheme=cenc
--clear_lead=0
--keys=label=240p:key_id=101112131415161718191a1b1c1d1e1f:key=202122232425262728292a2b2c2d2e2f:iv=000abcdef00000f0,label=360p:key_id=101112131415161718191a1b1c1d1e1f:key=202122232425262728292a2b2c2d2e2f:iv=100abcdef0000000,label=audio:key_id=404142434445464748494a4b4c4d4e4f:key=505152535455565758595a5b5c5d5e5f:iv=200abcdef0000177
--pssh=${encryption.pssh[0]?.toString('hex')}
`)
})

it('with cbcs, all video tracks share the IV of their key', () => {
  const plan = planOf({ durationSeconds: 60, audioStream: 1 })
  const [opening, chunk] = plan.parts
  const ivs = [opening, chunk].map((part) => {
    if (!part) throw new Error('no part')
    const flags = encryptionFlags(encryptionOf('cbcs'), plan, part, 7)
    return flags.match(/iv=[0-9a-f]+/g)
  })
  const [video, audio] = ['iv=303132333435363738393a3b3c3d3e3f', 'iv=606162636465666768696a6b6c6d6e6f']
  expect(ivs).toEqual([
    [video, audio],
    [video, video, audio],
  ])
})

it('segment names sort in the order of their numbers', () => {
  expect(segmentFile('/out', '240p', 7)).toBe('/out/240p/00007.m4s')
  expect(segmentFile('/out', 'audio', 21_600)).toBe('/out/audio/21600.m4s')
})
