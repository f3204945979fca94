/**
 * The process in which a sound is listened to: it is given where the sound lies, and tells phrases
 * and how far it is. Whoever started it holds a pipe to it; when that closes nobody wants to know
 * any more, and it ends.
 */
import { Socket } from 'node:net'
import { argv, stdout } from 'node:process'
import { descriptors } from '../../sandbox/sandbox-arguments.ts'
import { SAMPLES_PER_SECOND } from '../recogniser.ts'
import { withoutRepetitions } from '../repetitions.ts'
import { readWindows } from '../sound-reader.ts'
import { type ListenerCosts, type ListenerMessage, writeMessage } from './listener-messages.ts'
import { hearSpeech, loadModel, loadMoonshine, recognise } from './models.ts'
import { cutSpeech, WINDOW_SAMPLES } from './speech-pieces.ts'
import { weights } from './weights.ts'

const PROGRESS_SECONDS = 5
const PROGRESS_WINDOWS = Math.round((PROGRESS_SECONDS * SAMPLES_PER_SECOND) / WINDOW_SAMPLES)

const [, , path = '', threads = '1'] = argv
const tell = (message: ListenerMessage) => stdout.write(writeMessage(message))

endWhenUnwanted()
try {
  await listen(Number(threads))
  tell({ kind: 'done', costs: costs() })
} catch (error) {
  tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })
}

/** Not by an orderly exit: the models may be at work. */
function endWhenUnwanted(): void {
  new Socket({ fd: descriptors.wanted })
    .on('error', () => undefined)
    .on('close', () => process.kill(process.pid, 'SIGKILL'))
    .resume()
    .unref()
}

async function listen(threadsMax: number): Promise<void> {
  const speech = await loadModel(weights.speech, threadsMax)
  const moonshine = await loadMoonshine(threadsMax)
  for await (const { startSeconds, samples } of cutSpeech(hearSpeech(speech, counted()))) {
    const text = withoutRepetitions(await recognise(moonshine, samples))
    if (text === '') continue
    const endSeconds = startSeconds + samples.length / SAMPLES_PER_SECOND
    tell({ kind: 'phrase', phrase: { startSeconds, endSeconds, text } })
  }
}

async function* counted(): AsyncGenerator<Float32Array, void, undefined> {
  let count = 0
  for await (const window of readWindows(path, WINDOW_SAMPLES)) {
    yield window
    if (++count % PROGRESS_WINDOWS > 0) continue
    tell({ kind: 'progress', seconds: (count * WINDOW_SAMPLES) / SAMPLES_PER_SECOND })
  }
}

function costs(): ListenerCosts {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  return { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, memoryBytesMax: maxRSS * 1024 }
}
