/**
 * `pnpm bench media [--seconds 60] [--long 240] [--only cost,chunks,first,sharing,rungs]`: the cost of the pipeline
 * compared to ffmpeg alone, in one run on one machine: CPU time of a video as a whole and in chunks, the effect of
 * chunks on quality, the time until it plays, and how two workers share the work.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setUpUploads, startStack } from '@reelkeep/testkit'
import { type Measured, measureCost, measureRungs } from './media/media-cost.ts'
import { measureFirstPlayable } from './media/media-first-playable.ts'
import { measureQuality } from './media/media-quality.ts'
import { measureSharing } from './media/media-sharing.ts'
import { makeBenchFilm } from './media/media-source.ts'
import { printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    long: { type: 'string', default: '240' },
    only: { type: 'string', default: 'cost,chunks,first,sharing,rungs' },
  },
})
const wanted = values.only.split(',')

const print = (text: string) => process.stdout.write(`\n${text}\n\n`)
const printCost = (video: string, { row }: Measured) => {
  print('CPU time of the worker and its child processes, compared to one run of ffmpeg with the same rungs.')
  printTable([{ video, ...row }])
}

await setUpUploads(await startStack())
const directory = await mkdtemp(join(tmpdir(), 'reelkeep-bench-'))
try {
  const film = await makeBenchFilm(Number(values.seconds))
  if (wanted.includes('first')) {
    print(
      'From the end of the upload until it plays, compared to ffmpeg alone making its first segments (goal: 1 s more).',
    )
    printTable(await measureFirstPlayable(film, directory))
  }
  if (wanted.includes('cost')) {
    printCost(`${values.seconds} s, goal 1.05`, await measureCost(film, directory))
  }
  if (wanted.includes('chunks')) {
    const long = await makeBenchFilm(Number(values.long))
    const chunked = await measureCost(long, directory)
    printCost(`${values.long} s, goal 1.10`, chunked)
    print('Quality in chunks compared to the same video as a whole (goal: 0.1 dB, 1 % of size).')
    printTable(await measureQuality(long, chunked))
  }
  if (wanted.includes('sharing')) {
    print('One worker on one processor, and two on one each (goal: 0.9 of half the time).')
    printTable(await measureSharing(await makeBenchFilm(Number(values.long))))
  }
  if (wanted.includes('rungs')) {
    print('The cost of an hour of such a video by rendition: each alone, with its own decoding.')
    printTable(await measureRungs(film, directory))
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
