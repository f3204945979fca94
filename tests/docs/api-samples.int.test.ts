/** Runs every sample of the API reference: for each operation curl, TypeScript and the CLI. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { calls } from '../../site/src/api/calls.ts'
import { operations } from '../../site/src/api/openapi.ts'
import { type Sample, samplesOf } from '../../site/src/api/samples.ts'
import { type Variables, variablesFor } from './api-variables.ts'
import { openSampleFixture } from './sample-fixture.ts'

const fixture = await opened(openSampleFixture('api_samples', { hasWorker: false }))

type Prepared = { readonly id: string; readonly code: string; readonly variables: Variables }

/** The samples in one language, each with resources of its own. */
async function prepare(label: Sample['label']): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  for (const operation of operations) {
    const sample = samplesOf(operation).find((each) => each.label === label)
    if (!sample) continue
    const variables = await variablesFor(operation, fixture.caller, fixture.env)
    prepared.push({ id: operation.id, code: sample.code, variables })
  }
  return prepared
}

const exportsOf = (variables: Variables) =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('; ')

/** Samples in a shell run one after the other; a stream is interrupted. */
function shellScript(samples: readonly Prepared[]): string {
  const steps = samples.map(({ id, code, variables }) => {
    const interrupted = `timeout --preserve-status -s INT 2 ${code} || test $? = 130`
    return `(set -e; ${exportsOf(variables)}\n${id === 'streamEvents' ? interrupted : code}\n) || echo "FAILED ${id}"`
  })
  return `printf 'WEBVTT\\n\\n00:00.000 --> 00:20.000\\nWelcome\\n' >chapters.vtt
printf '1\\n00:00:01,000 --> 00:00:02,000\\nGuten Tag.\\n' >lecture.srt
${steps.join('\n')}\n`
}

/** The programs run in one process: starting Node takes longer than most of them. */
function moduleScript(folder: string, samples: readonly Prepared[]): string {
  for (const { id, code } of samples) writeFileSync(join(folder, `${id}.mts`), code)
  const plan = samples.map(({ id, variables }) => ({ id, variables }))
  const program = `
    import { setTimeout as sleep } from 'node:timers/promises'
    for (const { id, variables } of ${JSON.stringify(plan)}) {
      Object.assign(process.env, variables)
      try {
        await Promise.race([import('./' + id + '.mts'), ...(id === 'streamEvents' ? [sleep(1000)] : [])])
      } catch (error) {
        console.log('FAILED', id, error)
      }
    }
    process.exit()`
  writeFileSync(join(folder, 'run.mjs'), program)
  return 'node run.mjs\n'
}

const failuresIn = (output: string) => [...output.matchAll(/^FAILED \w+.*$/gm)].map(([line]) => line)

describe('the samples of the API reference', () => {
  // The CLI first: it refuses a title that another folder has.
  it.each(['CLI', 'curl'] as const)('succeed for every operation: %s', async (label) => {
    const samples = await prepare(label)
    const { output } = await fixture.run(fixture.newFolder(), shellScript(samples))
    process.stdout.write(`samples of the API reference run with ${label}: ${samples.length}\n`)
    expect(failuresIn(output), output).toEqual([])
  })

  it('succeed for every operation: TypeScript', async () => {
    const samples = await prepare('TypeScript')
    const folder = fixture.newFolder()
    const { output } = await fixture.run(folder, moduleScript(folder, samples))
    process.stdout.write(`samples of the API reference run with TypeScript: ${samples.length}\n`)
    expect(samples).toHaveLength(operations.length)
    expect(failuresIn(output), output).toEqual([])
  })

  it('exist for operations of the API only', () => {
    const ids = operations.map(({ id }) => id)
    expect(Object.keys(calls).filter((id) => !ids.includes(id))).toEqual([])
  })
})
