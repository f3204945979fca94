/** Runs every sample of the API reference: for each operation curl, TypeScript and the CLI. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { operations } from '../../site/src/api/openapi.ts'
import { type Sample, samplesOf } from '../../site/src/api/samples.ts'
import { type Variables, variablesFor } from './api-variables.ts'
import { SCRIPT_TEST_MS } from './run-script.ts'
import { openSampleFixture } from './sample-fixture.ts'

const fixture = await opened(openSampleFixture('api_samples', { hasWorker: false }))

type Prepared = { readonly id: string; readonly code: string; readonly variables: Variables }

/** Operations of a signed-in member: their samples fail with the token of the fixture. */
const notForTokens = ['readCurrentMember']

/** The samples in one language, each with resources of its own. */
async function prepare(label: Sample['label']): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  for (const operation of operations.filter(({ id }) => !notForTokens.includes(id))) {
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

/** Samples in a shell run one after the other; a stream is closed after its first event. */
function shellScript(samples: readonly Prepared[]): string {
  const steps = samples.map(({ id, code, variables }) => {
    const command = id === 'streamEvents' ? `grep -m 1 'asset\\.' < <(${code})` : code
    // In `(…) || …` bash would ignore `set -e`.
    return `begin '${id}'
(set -euo pipefail; ${exportsOf(variables)}
${command}
)
[ $? = 0 ] || printf '\\nFAILED %s\\n' "$sample"`
  })
  return `printf 'WEBVTT\\n\\n00:00.000 --> 00:20.000\\nWelcome\\n' >chapters.vtt
printf '1\\n00:00:01,000 --> 00:00:02,000\\nGuten Tag.\\n' >lecture.srt
printf 'a file that is long enough' >lecture.mp4
printf 'an image' >cover.png
${steps.join('\n')}\n`
}

/** Runs the programs in one process, because starting Node takes longer. A stream ends with its first event. */
function moduleScript(folder: string, samples: readonly Prepared[]): string {
  for (const { id, code } of samples) writeFileSync(join(folder, `${id}.mts`), code)
  const plan = samples.map(({ id, variables }) => ({ id, variables }))
  const program = `
    const print = console.log
    const firstEvent = new Promise((resolve) => {
      console.log = (...values) => {
        print(...values)
        if (String(values[0]).startsWith('asset.')) resolve()
      }
    })
    for (const { id, variables } of ${JSON.stringify(plan)}) {
      print('\\n== ' + id)
      Object.assign(process.env, variables)
      try {
        await Promise.race([import('./' + id + '.mts'), ...(id === 'streamEvents' ? [firstEvent] : [])])
      } catch (error) {
        console.log('FAILED', id, error)
      }
    }
    process.exit()`
  writeFileSync(join(folder, 'run.mjs'), program)
  return 'node run.mjs\n'
}

/** Changes an asset repeatedly while the samples run, so that a stream of events has events. */
async function runWithEvents(folder: string, script: string) {
  const { asset } = await uploadAsset(fixture.caller)
  const run = fixture.run(folder, script)
  let isOver = false
  const changes = (async () => {
    for (let count = 1; !isOver; count++) {
      await fixture.caller.patch(`assets/${asset.id}/`, { title: `Lecture ${count}` })
      await sleep(200)
    }
  })()
  try {
    return await run
  } finally {
    isOver = true
    await changes
  }
}

const failuresIn = (output: string) => [...output.matchAll(/^FAILED \w+.*$/gm)].map(([line]) => line)

describe('the samples of the API reference', () => {
  // The CLI first: it refuses a title that another folder has.
  it.each(['CLI', 'curl'] as const)(
    'succeed for every operation: %s',
    async (label) => {
      const samples = await prepare(label)
      const { code, output } = await runWithEvents(fixture.newFolder(), shellScript(samples))
      process.stdout.write(`samples of the API reference run with ${label}: ${samples.length}\n`)
      expect({ code, failures: failuresIn(output) }, output).toEqual({ code: 0, failures: [] })
    },
    SCRIPT_TEST_MS,
  )

  it(
    'succeed for every operation: TypeScript',
    async () => {
      const samples = await prepare('TypeScript')
      const folder = fixture.newFolder()
      const { code, output } = await runWithEvents(folder, moduleScript(folder, samples))
      process.stdout.write(`samples of the API reference run with TypeScript: ${samples.length}\n`)
      expect(samples).toHaveLength(operations.length - notForTokens.length)
      expect({ code, failures: failuresIn(output) }, output).toEqual({ code: 0, failures: [] })
    },
    SCRIPT_TEST_MS,
  )

  it('fail if a command before the last one fails', async () => {
    const sample = { id: 'readAsset', code: 'false\ntrue', variables: {} }
    const { output } = await fixture.run(fixture.newFolder(), shellScript([sample]))
    expect(failuresIn(output)).toEqual(['FAILED readAsset'])
  })
})
