/** Probes every file as an object in storage, a few in parallel, and collects the results. */

import { probe } from '../src/probe/probe.ts'
import { UnusableMedia } from '../src/probe/unusable-media.ts'
import { openSandbox, type Sandbox } from '../src/sandbox/sandbox.ts'
import { fileObject } from '../src/source/file-object.ts'
import type { HostileFile } from './hostile-file.ts'

export type ProbeOutcome = {
  readonly file: HostileFile
  /** A code of `UnusableMedia`, "usable", or an error that must not occur. */
  readonly result: string
  /** The probe as JSON, or the message for the uploader. */
  readonly message: string
  readonly seconds: number
}

const PARALLEL_PROBES = 3

export async function probeCorpus(corpus: readonly HostileFile[]): Promise<ProbeOutcome[]> {
  const sandbox = await openSandbox({ mode: 'bubblewrap' })
  const queue = corpus.values()
  const outcomes: ProbeOutcome[] = []
  const probeNext = async () => {
    for (const file of queue) outcomes.push(await probeFile(sandbox, file))
  }
  await Promise.all(Array.from({ length: PARALLEL_PROBES }, probeNext))
  return outcomes
}

async function probeFile(sandbox: Sandbox, file: HostileFile): Promise<ProbeOutcome> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  try {
    const found = await probe(sandbox, await fileObject(file.path), {
      signal: new AbortController().signal,
    })
    return { file, result: 'usable', message: JSON.stringify(found), seconds: seconds() }
  } catch (error) {
    const isUnusable = error instanceof UnusableMedia
    return {
      file,
      result: isUnusable ? error.code : String(error),
      message: isUnusable ? error.detail : '',
      seconds: seconds(),
    }
  }
}

/** Formats the number of files per result, and lists the slowest files. */
export function formatTable(outcomes: readonly ProbeOutcome[]): string {
  const counts = [...Map.groupBy(outcomes, ({ result }) => result)].map(
    ([result, all]) => `${String(all.length).padStart(5)}  ${result}`,
  )
  const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  return [
    ...[`${outcomes.length} files`, ...counts.toSorted().reverse(), 'slowest:'],
    ...slowest.map(({ file, seconds, result }) => `${seconds.toFixed(2).padStart(6)} s  ${file.name}  ${result}`),
  ].join('\n')
}
