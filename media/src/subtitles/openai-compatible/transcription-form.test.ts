import { expect, it } from 'vitest'
import { transcriptionForm } from './transcription-form.ts'

it('the transcription form is valid and contains a WAV file', async () => {
  const samples = Buffer.from([1, 0, 2, 0, 3, 0])
  const { contentType, head, tail } = transcriptionForm(
    { model: 'whisper-1', response_format: 'verbose_json' },
    samples.length,
  )
  const body = new Response(Buffer.concat([head, samples, tail]), {
    headers: { 'content-type': contentType },
  })
  const form = await body.formData()
  expect(form.get('model')).toBe('whisper-1')
  expect(form.get('response_format')).toBe('verbose_json')
  const file = form.get('file') as File
  expect([file.name, file.type, file.size]).toEqual(['audio.wav', 'audio/wav', 50])
  const wav = Buffer.from(await file.arrayBuffer())
  expect(wav.readUInt32LE(4)).toBe(wav.length - 8)
  expect(wav.readUInt32LE(24)).toBe(16_000)
  expect(wav.readUInt32LE(40)).toBe(samples.length)
  expect(wav.subarray(44)).toEqual(samples)
})
