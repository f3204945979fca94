/** Tests the real models with synthesized speech. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countWordErrors } from '../../../testing/measure/word-errors.ts'
import { synthesizeSpeech } from '../../../testing/sources/speech.ts'
import { moonshine } from './moonshine.ts'
import { readWeights, weights } from './weights.ts'

const transcriber = moonshine({ threads: 1 })
const { signal: never } = new AbortController()

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'moonshine-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('moonshine', () => {
  it('transcribes speech, one phrase per sentence', async () => {
    const { audio, text } = await synthesizeSpeech(3)
    const { language, phrases } = await transcriber.transcribe(audio, { signal: never })
    const { words, errors } = countWordErrors(text, phrases.map((phrase) => phrase.text).join(' '))
    expect(language).toBe('en')
    expect(phrases).toHaveLength(3)
    expect(errors / words).toBeLessThan(0.3)
  })

  it('rejects languages other than English', async () => {
    const { audio } = await synthesizeSpeech(1)
    const result = transcriber.transcribe(audio, { signal: never, language: 'de' })
    await expect(result).rejects.toMatchObject({ reason: 'language' })
  })

  it('rejects if the audio file is missing', async () => {
    const absent = { path: join(directory, 'absent'), seconds: 1 }
    await expect(transcriber.transcribe(absent, { signal: never })).rejects.toThrow('ENOENT')
  })
})

it('readWeights rejects a file with another hash', async () => {
  const path = join(directory, 'other.onnx')
  await writeFile(path, 'something else')
  const other = { ...weights.speech, url: () => new URL(`file://${path}`) }
  await expect(readWeights(other)).rejects.toThrow('is not the expected model')
})

it('countWordErrors counts wrong, missing and additional words', () => {
  expect(countWordErrors('One, two three.', 'one two three')).toEqual({ words: 3, errors: 0 })
  expect(countWordErrors('one two three four', 'one too four five')).toEqual({
    words: 4,
    errors: 3,
  })
  expect(countWordErrors('one two', '')).toEqual({ words: 2, errors: 2 })
})
