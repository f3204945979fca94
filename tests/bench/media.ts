/**
 * `pnpm bench:media [seconds] [long seconds]`: what the pipeline costs beside ffmpeg alone, in one run and on one machine: processor time of a
 * video in one go and in chunks, how two workers share the work, how soon it plays, and what chunks do to the picture.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { startStack } from '@reelkeep/testkit'
import { measureCost, measureRungs } from './media-cost.ts'
import { measureFirstPlayable } from './media-first-playable.ts'
import { measureQuality } from './media-quality.ts'
import { measureSharing } from './media-sharing.ts'
import { makeBenchFilm } from './media-source.ts'
import { printTable } from './table.ts'

const [seconds = '60', longSeconds = '240'] = argv.slice(2)

const say = (text: string) => process.stdout.write(`\n${text}\n\n`)

await startStack()
const directory = await mkdtemp(join(tmpdir(), 'reelkeep-bench-'))
try {
  const film = await makeBenchFilm(Number(seconds))
  const long = await makeBenchFilm(Number(longSeconds))

  say(
    'Processor time of the worker and all it starts, against one run of ffmpeg with the same rungs.',
  )
  const short = await measureCost(film, directory)
  const chunked = await measureCost(long, directory)
  printTable([
    { video: `${seconds} s, goal 1.05`, ...short.row },
    { video: `${longSeconds} s, goal 1.10`, ...chunked.row },
  ])

  say('Picture of the video in chunks against the same in one go (goal: 0.1 dB, 1 % of size).')
  printTable(await measureQuality(long, chunked))

  say(
    'From the end of the upload until it plays, against ffmpeg alone making its first segments (goal: 1 s more).',
  )
  printTable(await measureFirstPlayable(film, short.plan, directory))

  say('A worker on one processor, and two on one each (goal: 0.9 of half the time).')
  printTable(await measureSharing(await makeBenchFilm(120)))

  say('What an hour of such a video costs, by rendition: alone, with its own decoding.')
  printTable(await measureRungs(film, short, directory))
} finally {
  await rm(directory, { recursive: true, force: true })
}
