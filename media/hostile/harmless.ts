import { expect, it } from 'vitest'
import { openCanary } from './canary.ts'
import type { HostileFile } from './hostile-file.ts'
import { formatTable, type ProbeOutcome, probeCorpus } from './probe-corpus.ts'

/** Maximum time to probe a file: both runs of a probe at their time limits, plus an allowance for a slow machine. */
const SECONDS_MAX = 90
const MESSAGE_LENGTH_MAX = 200_000

/** Defines a test that probes every file of the corpus and checks its result. */
export function testHarmless(corpus: () => Promise<readonly HostileFile[]>, timeoutSeconds: number): void {
  it(
    'get a probe result or an error message, within the time limit and without any network access',
    async () => {
      using canary = await openCanary()
      const outcomes = await probeCorpus(await corpus())
      process.stdout.write(`${formatTable(outcomes)}\n`)
      expect(
        outcomes
          .filter((outcome) => findError(outcome) !== undefined)
          .map((outcome) => [outcome.file.name, findError(outcome)]),
      ).toEqual([])
      expect(canary.requests).toEqual([])
    },
    timeoutSeconds * 1000,
  )
}

function findError({ file, result, message, seconds }: ProbeOutcome): string | undefined {
  const { expect: expected, codes = [] } = file
  if (seconds > SECONDS_MAX) return `took ${seconds} s`
  if (message.length < 20 || message.length > MESSAGE_LENGTH_MAX)
    return `${result}: the message has ${message.length} characters`
  if (/root:|\/etc\//.test(message)) return `reveals the host: ${message}`
  if (result === 'usable') return expected === 'refused' ? 'was found usable' : undefined
  if (!/^[a-z_]+$/.test(result)) return result
  return codes.length > 0 && !codes.some((code) => code === result) ? `was refused as ${result}` : undefined
}
