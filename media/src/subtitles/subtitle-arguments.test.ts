import { expect, it } from 'vitest'
import { extractArguments } from './extract-subtitles.ts'
import { audioArguments } from './transcription/extract-audio.ts'

const input = { address: 'http://127.0.0.1:8080/x', protocols: 'http,tcp' }
const mp4 = { container: 'mp4', video: { streamIndex: 0 } } as const
const stream = { container: 'mpegts', video: { streamIndex: 3 } } as const

it('audioArguments extracts one audio stream as raw mono audio, from the start of the video', () => {
  const given = audioArguments(input, { probe: mp4, streamIndex: 2 }, '/out/sound')
  expect(given.slice(given.indexOf('-i')).join(' ')).toBe(
    '-i http://127.0.0.1:8080/x -map 0:2 -vn -sn -dn -af aresample=16000:async=1:first_pts=0 -ac 1 -c:a pcm_s16le -f s16le /out/sound',
  )
  expect(given.join(' ')).toContain('-protocol_whitelist http,tcp -format_whitelist mov')
})

it('audioArguments requests the video stream if time would otherwise start with the audio', () => {
  const given = audioArguments(input, { probe: stream, streamIndex: 2 }, '/out/sound')
  expect(given.join(' ')).toMatch(/\/out\/sound -map 0:3 -c:v copy -f null -$/)
})

it('extractArguments extracts all subtitles in one run', () => {
  const given = extractArguments(input, mp4, [2, 5], (name) => `/out/${name}`)
  expect(given.slice(given.indexOf('-i') + 2).join(' ')).toBe(
    '-map 0:2 -c:s webvtt -f webvtt /out/2.vtt -map 0:5 -c:s webvtt -f webvtt /out/5.vtt',
  )
})
