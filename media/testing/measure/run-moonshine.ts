/** A minimal worker that tests can kill: transcribes an audio file and prints the progress. */
import { argv, stdout } from 'node:process'
import { moonshine } from '../../src/subtitles/moonshine/moonshine.ts'

const { signal } = new AbortController()
const onProgress = (seconds: number) => stdout.write(`${seconds}\n`)
await moonshine({ threads: 1 }).transcribe({ path: argv[2] ?? '', seconds: 0 }, { signal, onProgress })
