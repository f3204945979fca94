/** Ending a transcription early: aborted, killed, or without its parent. The calling process survives. */
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
  // Ten minutes: long enough for all tests.
  speech = await synthesizeSpeech(144)
})

describe('abort', () => {
  /** Loading the models takes about half a second: abort before, during and after that. */
  const CALLS = 5
  const LATEST_MILLISECONDS = 1600

  it('ends the process at any time', async () => {
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

  it('prevents the start if it comes first', async () => {
    const running = transcriber.transcribe(speech.audio, { signal: AbortSignal.abort() })
    expect(childrenOf(process.pid)).toEqual([])
    await expect(running).rejects.toMatchObject({ reason: 'aborted' })
  })

  it('during transcription ends it', async () => {
    const controller = new AbortController()
    const onProgress = () => controller.abort()
    const running = transcriber.transcribe(speech.audio, { signal: controller.signal, onProgress })
    await expect(running).rejects.toMatchObject({ reason: 'aborted' })
  })
})

describe('killed by something else', () => {
  it.each(['SIGKILL', 'SIGABRT'] as const)(
    '%s: transcribe rejects as unavailable',
    async (signal) => {
      const onProgress = () => {
        for (const id of childrenOf(process.pid)) process.kill(id, signal)
      }
      const running = transcriber.transcribe(speech.audio, { signal: never, onProgress })
      await expect(running).rejects.toMatchObject({
        ...{ name: 'TranscriptionFailed', reason: 'unavailable' },
        message: expect.stringContaining(signal),
      })
    },
  )
})

describe('without its parent', () => {
  it('the process ends when its parent is killed', async () => {
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
