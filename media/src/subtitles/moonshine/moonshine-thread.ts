/** The thread in which a sound is listened to: it is given where the sound lies, and posts phrases and how far it is. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Phrase, SAMPLES_PER_SECOND } from '../recogniser.ts'
import { withoutRepetitions } from '../repetitions.ts'
import { readWindows } from '../sound-reader.ts'
import { hearSpeech, loadModel, loadMoonshine, recognise } from './models.ts'
import { cutSpeech, WINDOW_SAMPLES } from './speech-pieces.ts'
import { weights } from './weights.ts'

export type ThreadInput = { readonly path: string; readonly threads: number }
export type ThreadMessage =
  | { readonly kind: 'phrase'; readonly phrase: Phrase }
  | { readonly kind: 'progress'; readonly seconds: number }
  | { readonly kind: 'done' }

const PROGRESS_SECONDS = 5
const PROGRESS_WINDOWS = Math.round((PROGRESS_SECONDS * SAMPLES_PER_SECOND) / WINDOW_SAMPLES)

const { path, threads } = workerData as ThreadInput
const post = (message: ThreadMessage) => parentPort?.postMessage(message)

const speech = await loadModel(weights.speech, threads)
const moonshine = await loadMoonshine(threads)
for await (const { startSeconds, samples } of cutSpeech(hearSpeech(speech, counted()))) {
  const text = withoutRepetitions(await recognise(moonshine, samples))
  if (text === '') continue
  const endSeconds = startSeconds + samples.length / SAMPLES_PER_SECOND
  post({ kind: 'phrase', phrase: { startSeconds, endSeconds, text } })
}
post({ kind: 'done' })

async function* counted(): AsyncGenerator<Float32Array, void, undefined> {
  let count = 0
  for await (const window of readWindows(path, WINDOW_SAMPLES)) {
    yield window
    if (++count % PROGRESS_WINDOWS > 0) continue
    post({ kind: 'progress', seconds: (count * WINDOW_SAMPLES) / SAMPLES_PER_SECOND })
  }
}
