import { execFile } from 'node:child_process'
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Sound } from '../src/subtitles/recogniser.ts'
import { madeOnce } from './cache.ts'
import { spokenSentences } from './spoken-sentences.ts'

const run = promisify(execFile)

const BYTES_PER_SECOND = 32_000
const PAUSE_SECONDS = 0.8
/** Debian's ffmpeg has flite, and of its voices this is the clearest. */
const VOICE = 'slt'
const NAME = 'joined.s16le'

/** Every sentence spoken, in a file each (`0.s16le`, …), made once. Answers with their directory. */
function makeSpeech(): Promise<string> {
  return madeOnce('speech', [spokenSentences, VOICE], async (directory) => {
    for (const [index, sentence] of spokenSentences.entries()) {
      await writeFile(resolve(directory, `${index}.txt`), sentence)
      const voice = ['-f', 'lavfi', '-i', `flite=textfile=${index}.txt:voice=${VOICE}`]
      const raw = ['-ac', '1', '-ar', '16000', '-f', 's16le', `${index}.s16le`]
      await run('ffmpeg', ['-loglevel', 'error', '-nostdin', ...voice, ...raw], { cwd: directory })
    }
  })
}

export type Said = { readonly sound: Sound; readonly text: string }

/** So many sentences one after the other, with pauses; after the last it begins again with the first. */
export async function speak(sentences = spokenSentences.length): Promise<Said> {
  const speech = await makeSpeech()
  const said = Array.from({ length: sentences }, (_, count) => count % spokenSentences.length)
  const recipe = [spokenSentences, VOICE, PAUSE_SECONDS, said]
  const directory = await madeOnce('speech-joined', recipe, (made) => join(speech, made, said))
  const path = resolve(directory, NAME)
  return {
    sound: { path, seconds: (await stat(path)).size / BYTES_PER_SECOND },
    text: said.map((index) => spokenSentences[index]).join(' '),
  }
}

async function join(speech: string, made: string, said: readonly number[]): Promise<void> {
  const pause = Buffer.alloc(PAUSE_SECONDS * BYTES_PER_SECOND)
  for (const index of said) {
    const spoken = await readFile(resolve(speech, `${index}.s16le`))
    await appendFile(resolve(made, NAME), Buffer.concat([spoken, pause]))
  }
}
