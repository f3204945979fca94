/**
 * `node media/testing/measure/measure.ts [gibibytes]`: measures how much a probe reads of large objects, by container.
 */
import { basename } from 'node:path'
import { argv, stdout } from 'node:process'
import { openSandbox } from '../../src/sandbox/sandbox.ts'
import { fileObject } from '../../src/source/file-object.ts'
import { createLargeSources } from '../sources/large-sources.ts'
import { measureProbe } from './measure-probe.ts'

const ROUNDS = 5

const sandbox = await openSandbox({ mode: 'bubblewrap' })
stdout.write('| container | MiB | read MiB | requests | seconds (median) |\n|---|---|---|---|---|\n')
for (const path of await createLargeSources(Number(argv[2] ?? 2))) {
  const object = await fileObject(path)
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureProbe(sandbox, object))
  const [median] = rounds.toSorted((a, b) => a.seconds - b.seconds).slice(Math.floor(ROUNDS / 2))
  if (!median) break
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
  const cells = [
    basename(path),
    mebibytes(object.sizeBytes),
    mebibytes(median.bytes),
    median.requests,
    median.seconds.toFixed(2),
  ]
  stdout.write(`| ${cells.join(' | ')} |\n`)
}
