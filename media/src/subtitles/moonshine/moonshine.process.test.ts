/** The real models on real, if synthesized, speech. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { speak } from '../../../testing/speech.ts'
import { countWordErrors } from '../../../testing/word-errors.ts'
import type { ListenerCosts } from './listener-messages.ts'
import { moonshine } from './moonshine.ts'
import { readWeights, weights } from './weights.ts'

const recogniser = moonshine({ threads: 1 })
const { signal: never } = new AbortController()

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'moonshine-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function soundOf(samples: Int16Array) {
  const path = join(directory, `${samples.length}-${samples[1]}.s16le`)
  await writeFile(path, samples)
  return { path, seconds: samples.length / 16_000 }
}

describe('moonshine', () => {
  it('understands at least 85 % of the words, and when they are said; meanwhile this process is free', async () => {
    const { sound, text } = await speak()
    const progress: number[] = []
    const idle = performance.eventLoopUtilization()
    let memoryBytesMax = Number.POSITIVE_INFINITY
    const onCosts = (costs: ListenerCosts) => {
      memoryBytesMax = costs.memoryBytesMax
    }
    const measured = moonshine({ threads: 1, onCosts })
    const { language, phrases } = await measured.transcribe(sound, {
      signal: never,
      onProgress: (seconds) => progress.push(seconds),
    })
    const { utilization } = performance.eventLoopUtilization(idle)
    const { words, errors } = countWordErrors(text, phrases.map((one) => one.text).join(' '))
    process.stdout.write(
      `words right: ${(100 - (100 * errors) / words).toFixed(1)} % of ${words}\n`,
    )
    expect(errors / words).toBeLessThan(0.15)
    expect(language).toBe('en')
    // A sentence each, in pauses of which there is nothing to hear.
    expect(phrases).toHaveLength(24)
    expect(phrases[0]?.startSeconds).toBeLessThan(0.3)
    for (const [index, { startSeconds }] of phrases.entries()) {
      if (index > 0)
        expect(startSeconds).toBeGreaterThan((phrases[index - 1]?.endSeconds ?? 0) + 0.3)
    }
    expect(progress.at(-1)).toBeGreaterThan(sound.seconds - 6)
    // In this process it would be all of the time; how long anybody waits at most, the bench tells.
    expect(utilization).toBeLessThan(0.5)
    expect(memoryBytesMax / 1e6).toBeLessThan(600)
  })

  it('hears nothing in silence, in noise, or in nothing', async () => {
    const silence = new Int16Array(16_000 * 20)
    let seed = 1
    const noise = silence.map(() => {
      seed = (seed * 16_807) % 2_147_483_647
      return (seed % 4000) - 2000
    })
    for (const samples of [silence, noise, new Int16Array(0), new Int16Array(1)]) {
      const { phrases } = await recogniser.transcribe(await soundOf(samples), { signal: never })
      expect(phrases).toEqual([])
    }
  })

  it('says that it does not know a language rather than make English of it', async () => {
    const { sound } = await speak(1)
    const asked = recogniser.transcribe(sound, { signal: never, language: 'de' })
    await expect(asked).rejects.toMatchObject({ reason: 'language' })
  })

  it('tells that a sound is not there', async () => {
    const absent = { path: join(directory, 'absent'), seconds: 1 }
    await expect(recogniser.transcribe(absent, { signal: never })).rejects.toThrow('ENOENT')
  })
})

it('loads no model but the one that was measured', async () => {
  const path = join(directory, 'other.onnx')
  await writeFile(path, 'something else')
  const other = { ...weights.speech, url: () => new URL(`file://${path}`) }
  await expect(readWeights(other)).rejects.toThrow('is not the model that is known')
})

it('counts words that are wrong, missing or too many', () => {
  expect(countWordErrors('One, two three.', 'one two three')).toEqual({ words: 3, errors: 0 })
  expect(countWordErrors('one two three four', 'one too four five')).toEqual({
    words: 4,
    errors: 3,
  })
  expect(countWordErrors('one two', '')).toEqual({ words: 2, errors: 2 })
})
