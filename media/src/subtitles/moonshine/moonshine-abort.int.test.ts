/**
 * Ends transcription processes early: by an abort, by a signal, or by killing the parent. The calling process survives.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { childrenOf, isRunning } from '../../../testing/processes.ts'
import { type SpokenText, synthesizeSpeech } from '../../../testing/sources/speech.ts'
import { moonshine } from './moonshine.ts'

const transcriber = moonshine({ threads: 1 })
const { signal: never } = new AbortController()

let speech: SpokenText
beforeAll(async () => {
  // The speech takes ten minutes, which is long enough for all tests.
  speech = await synthesizeSpeech(144)
})

describe('aborting a transcription', () => {
  /** Loading the models takes about half a second. The tests abort before, during and after that. */
  const CALLS = 5
  const LATEST_MILLISECONDS = 1600

  it('ends its process at any time', async () => {
    for (let call = 0; call < CALLS; call++) {
      const controller = new AbortController()
      const milliseconds = Math.random() * LATEST_MILLISECONDS
      const running = transcriber.transcribe(speech.audio, { signal: controller.signal })
      const [outcome] = await Promise.all([
        running.catch((error: unknown) => error),
        pause(milliseconds).then(() => controller.abort()),
      ])
      const when = `after ${milliseconds} ms`
      expect(outcome, when).toMatchObject({ name: 'TranscriptionFailed', reason: 'aborted' })
      expect(childrenOf(process.pid), when).toEqual([])
    }
  })

  it('prevents the start of its process if it has not started', async () => {
    const running = transcriber.transcribe(speech.audio, { signal: AbortSignal.abort() })
    expect(childrenOf(process.pid)).toEqual([])
    await expect(running).rejects.toMatchObject({ reason: 'aborted' })
  })

  it('ends its process during transcription', async () => {
    const controller = new AbortController()
    const onProgress = () => controller.abort()
    const running = transcriber.transcribe(speech.audio, { signal: controller.signal, onProgress })
    await expect(running).rejects.toMatchObject({ reason: 'aborted' })
  })
})

describe('a transcription process that is killed by something else', () => {
  it.each(['SIGKILL', 'SIGABRT'] as const)('makes transcribe reject as unavailable (%s)', async (signal) => {
    const onProgress = () => {
      for (const id of childrenOf(process.pid)) process.kill(id, signal)
    }
    const running = transcriber.transcribe(speech.audio, { signal: never, onProgress })
    await expect(running).rejects.toMatchObject({
      ...{ name: 'TranscriptionFailed', reason: 'unavailable' },
      message: expect.stringContaining(signal),
    })
  })
})

describe('a transcription process without its parent', () => {
  it('ends when its parent is killed', async () => {
    const entry = join(import.meta.dirname, '../../../testing/measure/run-moonshine.ts')
    const parent = spawn(process.execPath, [entry, speech.audio.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(parent.stdout, 'data')
    const children = childrenOf(parent.pid ?? 0)
    expect(children).toHaveLength(1)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await expect.poll(() => children.filter(isRunning)).toEqual([])
  })
})
