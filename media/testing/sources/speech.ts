import { execFile } from 'node:child_process'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { AudioFile } from '../../src/subtitles/transcription/transcriber.ts'
import { createOnce } from '../cache.ts'
import { spokenSentences } from './spoken-sentences.ts'

const run = promisify(execFile)

const BYTES_PER_SECOND = 32_000
const PAUSE_SECONDS = 0.8
/** Debian's ffmpeg includes flite; this is its clearest voice. */
const VOICE = 'slt'
const NAME = 'joined.s16le'

/** Synthesizes every sentence once, into files (`0.s16le`, …), and returns their directory. */
function createSpeech(): Promise<string> {
  return createOnce('speech', [spokenSentences, VOICE], async (directory) => {
    for (const [index, sentence] of spokenSentences.entries()) {
      await writeFile(resolve(directory, `${index}.txt`), sentence)
      const voice = ['-f', 'lavfi', '-i', `flite=textfile=${index}.txt:voice=${VOICE}`]
      const raw = ['-ac', '1', '-ar', '16000', '-f', 's16le', `${index}.s16le`]
      await run('ffmpeg', ['-loglevel', 'error', '-nostdin', ...voice, ...raw], { cwd: directory })
    }
  })
}

export type SpokenText = { readonly audio: AudioFile; readonly text: string }

/** Concatenates this many sentences with pauses, starting again after the last one. */
export async function synthesizeSpeech(sentences = spokenSentences.length): Promise<SpokenText> {
  const speech = await createSpeech()
  const indexes = Array.from({ length: sentences }, (_, count) => count % spokenSentences.length)
  const recipe = [spokenSentences, VOICE, PAUSE_SECONDS, indexes]
  const directory = await createOnce('speech-joined', recipe, (output) => join(speech, output, indexes))
  const path = resolve(directory, NAME)
  return {
    audio: { path, seconds: (await stat(path)).size / BYTES_PER_SECOND },
    text: indexes.map((index) => spokenSentences[index]).join(' '),
  }
}

async function join(speech: string, output: string, indexes: readonly number[]): Promise<void> {
  const pause = Buffer.alloc(PAUSE_SECONDS * BYTES_PER_SECOND)
  for (const index of indexes) {
    const spoken = await readFile(resolve(speech, `${index}.s16le`))
    await appendFile(resolve(output, NAME), Buffer.concat([spoken, pause]))
  }
}
