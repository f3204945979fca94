import { probe } from '../../src/probe/probe.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { ReadCosts } from '../../src/source/block-reader.ts'
import type { Source } from '../../src/source/source.ts'

export type ProbeMeasure = ReadCosts & {
  readonly seconds: number
  readonly durationSeconds: number
}

/** Runs one probe and returns its costs. */
export async function measureProbe(sandbox: Sandbox, source: Source): Promise<ProbeMeasure> {
  let costs: ReadCosts = { bytes: 0, requests: 0, waitedSeconds: 0 }
  const startedAt = performance.now()
  const { durationSeconds } = await probe(sandbox, source, {
    signal: new AbortController().signal,
    onCosts: (total) => {
      costs = total
    },
  })
  return { ...costs, seconds: (performance.now() - startedAt) / 1000, durationSeconds }
}
