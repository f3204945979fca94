/** Measures quality and cost of the real models with 24 synthesized sentences, and with audio without speech. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countWordErrors } from '../../../testing/measure/word-errors.ts'
import { synthesizeSpeech } from '../../../testing/sources/speech.ts'
import { moonshine } from './moonshine.ts'
import type { TranscriptionCosts } from './process-messages.ts'

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
    process.stdout.write(`words right: ${(100 - (100 * errors) / words).toFixed(1)} % of ${words}\n`)
    expect(errors / words).toBeLessThan(0.15)
    expect(language).toBe('en')
    // The result has one phrase per sentence, with pauses between them.
    expect(phrases).toHaveLength(24)
    expect(phrases[0]?.startSeconds).toBeLessThan(0.3)
    for (const [index, { startSeconds }] of phrases.entries()) {
      if (index > 0) expect(startSeconds).toBeGreaterThan((phrases[index - 1]?.endSeconds ?? 0) + 0.3)
    }
    expect(progress.at(-1)).toBeGreaterThan(audio.seconds - 6)
    // If the models ran in this process, its event loop utilization would be close to 1.
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
})
