/**
 * The transcription process: receives the path of an audio file, and reports phrases and progress. It ends when
 * the pipe to its parent closes.
 */
import { Socket } from 'node:net'
import { argv, stdout } from 'node:process'
import { descriptors } from '../../sandbox/sandbox-arguments.ts'
import { readWindows } from '../transcription/audio-reader.ts'
import { withoutRepetitions } from '../transcription/repetitions.ts'
import { SAMPLES_PER_SECOND } from '../transcription/transcriber.ts'
import { detectSpeech, loadModel, loadMoonshine, transcribeSegment } from './models.ts'
import { type TranscriptionCosts, type TranscriptionMessage, writeMessage } from './process-messages.ts'
import { segmentSpeech, WINDOW_SAMPLES } from './speech-segments.ts'
import { weights } from './weights.ts'

const PROGRESS_SECONDS = 5
const PROGRESS_WINDOWS = Math.round((PROGRESS_SECONDS * SAMPLES_PER_SECOND) / WINDOW_SAMPLES)

const [, , path = '', threads = '1'] = argv
const send = (message: TranscriptionMessage) => stdout.write(writeMessage(message))

endWithParent()
try {
  await transcribe(Number(threads))
  send({ kind: 'done', costs: costs() })
} catch (error) {
  send({ kind: 'failed', error: error instanceof Error ? error.message : String(error) })
}

/** Kills this process when the pipe to its parent closes. process.exit is not used: the models may be running. */
function endWithParent(): void {
  new Socket({ fd: descriptors.keepAlive })
    .on('error', () => undefined)
    .on('close', () => process.kill(process.pid, 'SIGKILL'))
    .resume()
    .unref()
}

async function transcribe(threadsMax: number): Promise<void> {
  const speech = await loadModel(weights.speech, threadsMax)
  const moonshine = await loadMoonshine(threadsMax)
  for await (const { startSeconds, samples } of segmentSpeech(detectSpeech(speech, reportProgress()))) {
    const text = withoutRepetitions(await transcribeSegment(moonshine, samples))
    if (text === '') continue
    const endSeconds = startSeconds + samples.length / SAMPLES_PER_SECOND
    send({ kind: 'phrase', phrase: { startSeconds, endSeconds, text } })
  }
}

async function* reportProgress(): AsyncGenerator<Float32Array, void, undefined> {
  let count = 0
  for await (const window of readWindows(path, WINDOW_SAMPLES)) {
    yield window
    if (++count % PROGRESS_WINDOWS > 0) continue
    send({ kind: 'progress', seconds: (count * WINDOW_SAMPLES) / SAMPLES_PER_SECOND })
  }
}

function costs(): TranscriptionCosts {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  return { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, memoryBytesMax: maxRSS * 1024 }
}
