/** A worker in small, for tests that need one to kill: listens to a sound and prints how far it is. */
import { argv, stdout } from 'node:process'
import { moonshine } from '../src/subtitles/moonshine/moonshine.ts'

const { signal } = new AbortController()
const onProgress = (seconds: number) => stdout.write(`${seconds}\n`)
await moonshine({ threads: 1 }).transcribe(
  { path: argv[2] ?? '', seconds: 0 },
  { signal, onProgress },
)
