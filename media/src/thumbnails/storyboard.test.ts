import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planFilmstrip, planStoryboard, storyboardVtt } from './storyboard.ts'

it('the storyboard of a short video matches the expected text', () => {
  const storyboard = planStoryboard(3, { width: 426, height: 240 })
  expect(storyboard).toEqual({
    ...{ tile: { width: 160, height: 90 }, columns: 5, rows: 5 },
    ...{ shown: [0, 1, 2], sheets: 1, name: 'storyboard' },
  })
  expect(storyboardVtt(storyboard, [0, 2, 4], 5.5)).toBe(`WEBVTT

00:00:00.000 --> 00:00:02.000
storyboard-1.jpg#xywh=0,0,160,90

00:00:02.000 --> 00:00:04.000
storyboard-1.jpg#xywh=160,0,160,90

00:00:04.000 --> 00:00:05.500
storyboard-1.jpg#xywh=320,0,160,90
`)
})

it('the 26th tile of a storyboard starts a new sheet', () => {
  const seconds = Array.from({ length: 26 }, (_, index) => index * 2)
  const vtt = storyboardVtt(planStoryboard(26, { width: 240, height: 426 }), seconds, 52)
  expect(vtt).toContain('storyboard-1.jpg#xywh=360,640,90,160')
  expect(vtt).toMatch(/00:00:50\.000 --> 00:00:52\.000\nstoryboard-2\.jpg#xywh=0,0,90,160\n$/)
})

it('a storyboard has at most 500 tiles and covers the whole video', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 43_200 }), (keyframes) => {
      const seconds = Array.from({ length: keyframes }, (_, index) => index * 2)
      const storyboard = planStoryboard(keyframes, { width: 426, height: 240 })
      const cues = storyboardVtt(storyboard, seconds, keyframes * 2).match(/^\S+ --> \S+$/gm) ?? []
      expect(storyboard.shown.length).toBeLessThanOrEqual(500)
      expect(cues).toHaveLength(storyboard.shown.length)
      const times = cues.map((cue) => cue.split(' --> '))
      expect(times.slice(1).map(([start]) => start)).toEqual(times.slice(0, -1).map(([, end]) => end))
    }),
    { numRuns: 50 },
  )
})

it('a filmstrip has all keyframes of two hours, and exists only if the storyboard has fewer', () => {
  const size = { width: 426, height: 240 }
  expect(planFilmstrip(500, size)).toBeUndefined()
  expect(planFilmstrip(501, size)).toMatchObject({ name: 'filmstrip', sheets: 21 })
  expect(planFilmstrip(3600, size)?.shown).toHaveLength(3600)
  expect(planFilmstrip(18_000, size)?.shown).toHaveLength(3600)
  const filmstrip = planFilmstrip(501, size)
  const seconds = Array.from({ length: 501 }, (_, index) => index * 2)
  expect(filmstrip && storyboardVtt(filmstrip, seconds, 1002)).toContain(
    '00:16:40.000 --> 00:16:42.000\nfilmstrip-21.jpg#xywh=0,0,160,90\n',
  )
})
