/** How listening ends before its time: called off, killed, or left alone. Whoever asked for it lives on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { childrenOf, isRunning } from '../../../testing/processes.ts'
import { type Said, speak } from '../../../testing/speech.ts'
import { moonshine } from './moonshine.ts'

const recogniser = moonshine({ threads: 1 })
const { signal: never } = new AbortController()

let said: Said
beforeAll(async () => {
  // Ten minutes: nothing below is over before it is ended.
  said = await speak(144)
})

describe('called off', () => {
  /** The models are loaded after half a second or so: before that, meanwhile and after it. */
  const CALLS = 20
  const LATEST_MILLISECONDS = 1600

  it('at any moment, it ends at once and alone', async () => {
    for (let call = 0; call < CALLS; call++) {
      const caller = new AbortController()
      const milliseconds = Math.random() * LATEST_MILLISECONDS
      const running = recogniser.transcribe(said.sound, { signal: caller.signal })
      const [outcome] = await Promise.all([
        running.catch((error: unknown) => error),
        pause(milliseconds).then(() => caller.abort()),
      ])
      const when = `after ${milliseconds} ms`
      expect(outcome, when).toMatchObject({ name: 'RecognitionFailed', reason: 'aborted' })
      expect(childrenOf(process.pid), when).toEqual([])
    }
  })

  it('before it began, it does not begin', async () => {
    const running = recogniser.transcribe(said.sound, { signal: AbortSignal.abort() })
    expect(childrenOf(process.pid)).toEqual([])
    await expect(running).rejects.toMatchObject({ reason: 'aborted' })
  })

  it('while it listens, it ends at once', async () => {
    const caller = new AbortController()
    let calledAt = Number.POSITIVE_INFINITY
    const onProgress = () => {
      calledAt = Math.min(calledAt, performance.now())
      caller.abort()
    }
    const running = recogniser.transcribe(said.sound, { signal: caller.signal, onProgress })
    await expect(running).rejects.toMatchObject({ reason: 'aborted' })
    expect(performance.now() - calledAt).toBeLessThan(10_000)
  })
})

describe('ended by others', () => {
  it.each(['SIGKILL', 'SIGABRT'] as const)(
    '%s: it may go better another time',
    async (signal) => {
      const onProgress = () => {
        for (const id of childrenOf(process.pid)) process.kill(id, signal)
      }
      const running = recogniser.transcribe(said.sound, { signal: never, onProgress })
      await expect(running).rejects.toMatchObject({
        ...{ name: 'RecognitionFailed', reason: 'unavailable' },
        message: expect.stringContaining(signal),
      })
    },
    60_000,
  )
})

describe('left alone', () => {
  it('ends when whoever asked for it was killed', async () => {
    const entry = join(import.meta.dirname, '../../../testing/run-moonshine.ts')
    const asking = spawn(process.execPath, [entry, said.sound.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(asking.stdout, 'data')
    const listening = childrenOf(asking.pid ?? 0)
    expect(listening).toHaveLength(1)
    asking.kill('SIGKILL')
    await once(asking, 'exit')
    await vi.waitFor(() => expect(listening.filter(isRunning)).toEqual([]), { timeout: 5000 })
  })
})
