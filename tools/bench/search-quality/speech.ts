/** Speaks talks with espeak-ng, to know when each sentence is said, and makes captions with these times. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit'
import type { Talk } from './talks.ts'

const run = promisify(execFile)

/** Pause between two sentences, in seconds. */
const PAUSE_SECONDS = 0.6
/** As most captions. */
const CAPTION_LENGTH_MAX = 42

export type SpokenSentence = { readonly startSeconds: number; readonly endSeconds: number }
export type SpokenTalk = { readonly sentences: readonly SpokenSentence[]; readonly webVtt: string }

export async function speak(talk: Talk): Promise<SpokenTalk> {
  const { stdout } = await run(join(root, 'stack/speech-tools'))
  const sentences: SpokenSentence[] = []
  const captions: string[] = []
  let at = PAUSE_SECONDS
  for (const { text } of talk.sentences) {
    const endSeconds = at + (await secondsOf(stdout.trim(), talk.voice, text))
    sentences.push({ startSeconds: at, endSeconds })
    captions.push(...captionsOf(text, { startSeconds: at, endSeconds }))
    at = endSeconds + PAUSE_SECONDS
  }
  return { sentences, webVtt: `WEBVTT\n\n${captions.join('\n')}` }
}

/** The length of the sound that the voice makes of a text. */
async function secondsOf(program: string, voice: string, text: string): Promise<number> {
  const { stdout: wave } = await run(program, ['-v', voice, '--stdout', text], {
    encoding: 'buffer',
    maxBuffer: 2 ** 26,
  })
  const bytesPerSecond = wave.readUInt32LE(28)
  return (wave.length - 44) / bytesPerSecond
}

/** Divides a sentence into captions; each gets a share of its time by the number of characters. */
function captionsOf(text: string, { startSeconds, endSeconds }: SpokenSentence): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= CAPTION_LENGTH_MAX)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  const characters = lines.reduce((sum, line) => sum + line.length, 0)
  let before = 0
  return lines.map((line) => {
    const secondsAt = (count: number) => startSeconds + ((endSeconds - startSeconds) * count) / characters
    const caption = `${clock(secondsAt(before))} --> ${clock(secondsAt(before + line.length))}\n${line}\n`
    before += line.length
    return caption
  })
}

const clock = (seconds: number) => new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23)
