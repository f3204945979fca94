import { expect, it } from 'vitest'
import { openCanary } from './canary.ts'
import type { HostileFile } from './hostile-file.ts'
import { judgeCorpus, type Outcome, tableOf } from './judge-corpus.ts'

/** Two runs at their limits of time, and something for the machine to be slow. */
const SECONDS_MAX = 90
const WORDS_MAX = 200_000

/** What holds for every file, whoever made it. */
export function promiseHarmless(
  corpus: () => Promise<readonly HostileFile[]>,
  timeoutSeconds: number,
): void {
  it(
    'ends in facts or a sentence, within the limits, and touches nothing',
    async () => {
      using canary = await openCanary()
      const outcomes = await judgeCorpus(await corpus())
      process.stdout.write(`${tableOf(outcomes)}\n`)
      expect(
        outcomes
          .filter((outcome) => faultOf(outcome) !== undefined)
          .map((outcome) => [outcome.file.name, faultOf(outcome)]),
      ).toEqual([])
      expect(canary.touched).toEqual([])
    },
    timeoutSeconds * 1000,
  )
}

function faultOf({ file, verdict, words, seconds }: Outcome): string | undefined {
  const { expect: expected, codes = [] } = file
  if (seconds > SECONDS_MAX) return `took ${seconds} s`
  if (words.length < 20 || words.length > WORDS_MAX)
    return `${verdict}: says ${words.length} characters`
  if (/root:|\/etc\//.test(words)) return `speaks of the host: ${words}`
  if (verdict === 'usable') return expected === 'refused' ? 'was found usable' : undefined
  if (!/^[a-z_]+$/.test(verdict)) return verdict
  return codes.length > 0 && !codes.some((code) => code === verdict)
    ? `was refused as ${verdict}`
    : undefined
}
