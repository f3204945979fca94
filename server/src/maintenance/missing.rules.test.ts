import { expect, it } from 'vitest'
import { type Expected, findMissingKinds } from './missing.rules.ts'

const none: Expected = { segments: [], pictures: [], made_subtitles: [], uploaded_subtitles: [] }
const expected: Expected = {
  segments: ['a/1', 'a/2', 'a/3'],
  pictures: ['p/cover'],
  made_subtitles: ['t/heard'],
  uploaded_subtitles: ['subtitles/x'],
}
const all = () => true
const but =
  (...gone: string[]) =>
  (key: string) =>
    !gone.includes(key)
const file = { key: 'file', exists: true }
const lostFile = { key: 'file', exists: false }

it('findMissingKinds returns nothing if all objects exist or none are expected', () => {
  expect(findMissingKinds(expected, all, file)).toEqual([])
  expect(findMissingKinds(none, () => false, undefined)).toEqual([])
})

it('findMissingKinds counts missing objects, names one, and suggests a retry from the source file', () => {
  expect(findMissingKinds(expected, but('a/2', 'a/3'), file)).toEqual([
    { kind: 'segments', objects: 2, of: 3, first: 'a/2', remedy: 'retry' },
  ])
  const [pictures, subtitles] = findMissingKinds(expected, but('p/cover', 't/heard'), file)
  expect([pictures?.remedy, subtitles?.remedy]).toEqual(['retry', 'retry'])
})

it('findMissingKinds suggests restoring uploaded subtitles', () => {
  expect(findMissingKinds(expected, but('subtitles/x'), file)).toMatchObject([
    { remedy: 'restore' },
  ])
})

it('findMissingKinds suggests restoring if the source file is missing', () => {
  expect(findMissingKinds(expected, but('a/1'), lostFile)).toEqual([
    { kind: 'source', objects: 1, of: 1, first: 'file', remedy: 'restore' },
    { kind: 'segments', objects: 1, of: 3, first: 'a/1', remedy: 'restore' },
  ])
  expect(findMissingKinds(expected, but('a/1'), undefined)).toMatchObject([{ remedy: 'restore' }])
})
