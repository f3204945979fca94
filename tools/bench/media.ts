/**
 * `pnpm bench media [--seconds 60] [--long 240] [--only cost,chunks,first,sharing,rungs]`: compares the pipeline with
 * ffmpeg alone, in one run on one machine: CPU time of a video in one piece and in chunks, the effect of chunks on
 * quality, the time until the video plays, and how two workers share the work.
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
      'Time from upload to playback, compared to the time in which ffmpeg makes the first segments (goal: 1 s more).',
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
    print('Quality of a video in chunks, compared to the video in one piece (goal: within 0.1 dB and 1 % of size).')
    printTable(await measureQuality(long, chunked))
  }
  if (wanted.includes('sharing')) {
    print('Time with one worker, and with two workers on one processor each (goal: 0.9 of twice the speed).')
    printTable(await measureSharing(await makeBenchFilm(Number(values.long))))
  }
  if (wanted.includes('rungs')) {
    print('CPU time and size of one hour of video by rendition, if each rendition is encoded alone.')
    printTable(await measureRungs(film, directory))
  }
} finally {
  await rm(directory, { recursive: true, force: true })
}
