import { expect, it } from 'vitest'
import { carryArguments } from './carry-subtitles.ts'
import { soundArguments } from './extract-sound.ts'

const input = { address: 'http://127.0.0.1:8080/x', protocols: 'http,tcp' }
const mp4 = { container: 'mp4', video: { streamIndex: 0 } } as const
const stream = { container: 'mpegts', video: { streamIndex: 3 } } as const

it('asks for one sound, as recognisers take it, from the beginning of the video on', () => {
  const given = soundArguments(input, { probe: mp4, streamIndex: 2 }, '/out/sound')
  expect(given.slice(given.indexOf('-i')).join(' ')).toBe(
    '-i http://127.0.0.1:8080/x -map 0:2 -vn -sn -dn -af aresample=16000:async=1:first_pts=0 -ac 1 -c:a pcm_s16le -f s16le /out/sound',
  )
  expect(given.join(' ')).toContain('-protocol_whitelist http,tcp -format_whitelist mov')
})

it('asks for the picture as well where time would otherwise begin with the sound', () => {
  const given = soundArguments(input, { probe: stream, streamIndex: 2 }, '/out/sound')
  expect(given.join(' ')).toMatch(/\/out\/sound -map 0:3 -c:v copy -f null -$/)
})

it('asks for all subtitles in one go', () => {
  const given = carryArguments(input, mp4, [2, 5], (name) => `/out/${name}`)
  expect(given.slice(given.indexOf('-i') + 2).join(' ')).toBe(
    '-map 0:2 -c:s webvtt -f webvtt /out/2.vtt -map 0:5 -c:s webvtt -f webvtt /out/5.vtt',
  )
})
