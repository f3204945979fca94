import { expect, it } from 'vitest'
import { convertTrack } from './convert-track.ts'

const srt = (text: string) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`

it('convertTrack returns WebVTT in UTF-8', () => {
  const { webVtt } = { webVtt: undefined, ...convertTrack(srt('Olá <3')) }
  expect(Buffer.from(webVtt ?? []).toString()).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nOlá &lt;3\n')
})

it('convertTrack refuses a text that escapes make larger than 3 MiB', () => {
  expect(convertTrack(srt('<'.repeat(700_000))).errors).toBeUndefined()
  expect(convertTrack(srt('<'.repeat(900_000))).errors).toEqual([
    { line: 1, detail: 'The track must be at most 3 MiB as WebVTT.' },
  ])
})
