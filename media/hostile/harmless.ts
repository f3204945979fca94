import { openCanary } from './canary.ts'
import type { HostileFile } from './hostile-file.ts'
import { type ProbeOutcome, probeCorpus } from './probe-corpus.ts'

/** Maximum time to probe a file: both runs of a probe at their time limits, plus an allowance for a slow machine. */
const SECONDS_MAX = 90
const MESSAGE_LENGTH_MAX = 200_000

type Result = {
  readonly outcomes: readonly ProbeOutcome[]
  /** Unexpected results, and requests to the address that the files contain. */
  readonly problems: readonly string[]
}

/** Probes every file. Each must get a probe result or an error message, in time and without any network access. */
export async function checkHarmless(corpus: readonly HostileFile[]): Promise<Result> {
  using canary = await openCanary()
  const outcomes = await probeCorpus(corpus)
  const errors = outcomes.flatMap((outcome) => {
    const error = findError(outcome)
    return error === undefined ? [] : [`${outcome.file.name}: ${error}`]
  })
  return { outcomes, problems: [...errors, ...canary.requests.map((url) => `a program requested ${url}`)] }
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
