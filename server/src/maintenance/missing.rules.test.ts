import { expect, it } from 'vitest'
import { type Expected, missingKinds } from './missing.rules.ts'

const none: Expected = { segments: [], thumbnails: [], covers: [], generated_subtitles: [], uploaded_subtitles: [] }
const expected: Expected = {
  segments: ['a/1', 'a/2', 'a/3'],
  thumbnails: ['p/cover'],
  covers: ['covers/x'],
  generated_subtitles: ['t/heard'],
  uploaded_subtitles: ['subtitles/x'],
}
const all = () => true
const but =
  (...gone: string[]) =>
  (key: string) =>
    !gone.includes(key)
const file = { key: 'file', exists: true }
const lostFile = { key: 'file', exists: false }

it('missingKinds returns nothing if all objects exist or none are expected', () => {
  expect(missingKinds(expected, all, file)).toEqual([])
  expect(missingKinds(none, () => false, undefined)).toEqual([])
})

it('missingKinds counts missing objects, names one, and suggests a retry from the source file', () => {
  expect(missingKinds(expected, but('a/2', 'a/3'), file)).toEqual([
    { kind: 'segments', objects: 2, of: 3, first: 'a/2', remedy: 'retry' },
  ])
  const [thumbnails, subtitles] = missingKinds(expected, but('p/cover', 't/heard'), file)
  expect([thumbnails?.remedy, subtitles?.remedy]).toEqual(['retry', 'retry'])
})

it('missingKinds suggests restoring uploaded subtitles and covers that clients chose', () => {
  expect(missingKinds(expected, but('subtitles/x'), file)).toMatchObject([{ remedy: 'restore' }])
  expect(missingKinds(expected, but('covers/x'), file)).toMatchObject([{ kind: 'covers', remedy: 'restore' }])
})

it('missingKinds suggests restoring if the source file is missing', () => {
  expect(missingKinds(expected, but('a/1'), lostFile)).toEqual([
    { kind: 'source', objects: 1, of: 1, first: 'file', remedy: 'restore' },
    { kind: 'segments', objects: 1, of: 3, first: 'a/1', remedy: 'restore' },
  ])
  expect(missingKinds(expected, but('a/1'), undefined)).toMatchObject([{ remedy: 'restore' }])
})
