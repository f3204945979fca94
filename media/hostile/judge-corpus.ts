/** Every file through `probe`, as the object in storage that an upload is, a few at a time, with what became of it. */

import { probe } from '../src/probe/probe.ts'
import { UnusableMedia } from '../src/probe/unusable-media.ts'
import { openSandbox, type Sandbox } from '../src/sandbox/sandbox.ts'
import { fileObject } from '../src/source/file-object.ts'
import type { HostileFile } from './hostile-file.ts'

export type Outcome = {
  readonly file: HostileFile
  /** A code of `UnusableMedia`, "usable", or the name of an error that must not occur. */
  readonly verdict: string
  /** What was said, of the file or to its uploader. */
  readonly words: string
  readonly seconds: number
}

const AT_A_TIME = 3

export async function judgeCorpus(corpus: readonly HostileFile[]): Promise<Outcome[]> {
  const sandbox = await openSandbox({ mode: 'bubblewrap' })
  const waiting = corpus.values()
  const outcomes: Outcome[] = []
  const judgeOn = async () => {
    for (const file of waiting) outcomes.push(await judge(sandbox, file))
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, judgeOn))
  return outcomes
}

async function judge(sandbox: Sandbox, file: HostileFile): Promise<Outcome> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  try {
    const found = await probe(sandbox, await fileObject(file.path), {
      signal: new AbortController().signal,
    })
    return { file, verdict: 'usable', words: JSON.stringify(found), seconds: seconds() }
  } catch (error) {
    const isVerdict = error instanceof UnusableMedia
    return {
      file,
      verdict: isVerdict ? error.code : String(error),
      words: isVerdict ? error.detail : '',
      seconds: seconds(),
    }
  }
}

/** Counts by verdict, and what took longest. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const counts = [...Map.groupBy(outcomes, ({ verdict }) => verdict)].map(
    ([verdict, all]) => `${String(all.length).padStart(5)}  ${verdict}`,
  )
  const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  return [
    ...[`${outcomes.length} files`, ...counts.toSorted().reverse(), 'slowest:'],
    ...slowest.map(
      ({ file, seconds, verdict }) =>
        `${seconds.toFixed(2).padStart(6)} s  ${file.name}  ${verdict}`,
    ),
  ].join('\n')
}
