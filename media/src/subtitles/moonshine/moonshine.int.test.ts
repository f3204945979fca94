/** The real models with synthesized speech. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countWordErrors } from '../../../testing/measure/word-errors.ts'
import { synthesizeSpeech } from '../../../testing/sources/speech.ts'
import { moonshine } from './moonshine.ts'
import type { TranscriptionCosts } from './process-messages.ts'
import { readWeights, weights } from './weights.ts'

const transcriber = moonshine({ threads: 1 })
const { signal: never } = new AbortController()

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'moonshine-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function audioOf(samples: Int16Array) {
  const path = join(directory, `${samples.length}-${samples[1]}.s16le`)
  await writeFile(path, samples)
  return { path, seconds: samples.length / 16_000 }
}

describe('moonshine', () => {
  it('transcribes at least 85 % of the words correctly, with their times, without blocking this process', async () => {
    const { audio, text } = await synthesizeSpeech()
    const progress: number[] = []
    const idle = performance.eventLoopUtilization()
    let memoryBytesMax = Number.POSITIVE_INFINITY
    const onCosts = (costs: TranscriptionCosts) => {
      memoryBytesMax = costs.memoryBytesMax
    }
    const measured = moonshine({ threads: 1, onCosts })
    const { language, phrases } = await measured.transcribe(audio, {
      signal: never,
      onProgress: (seconds) => progress.push(seconds),
    })
    const { utilization } = performance.eventLoopUtilization(idle)
    const { words, errors } = countWordErrors(text, phrases.map((phrase) => phrase.text).join(' '))
    process.stdout.write(
      `words right: ${(100 - (100 * errors) / words).toFixed(1)} % of ${words}\n`,
    )
    expect(errors / words).toBeLessThan(0.15)
    expect(language).toBe('en')
    // One phrase per sentence, with pauses between them.
    expect(phrases).toHaveLength(24)
    expect(phrases[0]?.startSeconds).toBeLessThan(0.3)
    for (const [index, { startSeconds }] of phrases.entries()) {
      if (index > 0)
        expect(startSeconds).toBeGreaterThan((phrases[index - 1]?.endSeconds ?? 0) + 0.3)
    }
    expect(progress.at(-1)).toBeGreaterThan(audio.seconds - 6)
    // In this process it would be close to 1; the benchmark measures the delays.
    expect(utilization).toBeLessThan(0.5)
    expect(memoryBytesMax / 1e6).toBeLessThan(600)
  })

  it('returns no phrases for silence, noise and empty audio', async () => {
    const silence = new Int16Array(16_000 * 20)
    let seed = 1
    const noise = silence.map(() => {
      seed = (seed * 16_807) % 2_147_483_647
      return (seed % 4000) - 2000
    })
    for (const samples of [silence, noise, new Int16Array(0), new Int16Array(1)]) {
      const { phrases } = await transcriber.transcribe(await audioOf(samples), { signal: never })
      expect(phrases).toEqual([])
    }
  })

  it('rejects other languages', async () => {
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
