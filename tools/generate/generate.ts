/**
 * `pnpm generate`: writes the files generated from the contract, the tests and the monitoring definitions. `--check`
 * writes nothing, and fails if a committed file is out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { operations, toOpenApi } from '@reelkeep/contract'
import { root } from '@reelkeep/testkit/settings'
import { dashboard } from '../../deploy/monitoring/dashboard.ts'
import { alertRules, recordingRules } from '../../deploy/monitoring/rules.ts'
import { coverageMarkdown } from '../../tests/acceptance/coverage.ts'
import { guaranteesPage } from '../mutations/guarantees.ts'
import { EDGE_CONFIGURATION, edgeConfiguration } from './edge-repeats.ts'
import { errorReference, eventReference, operationReference } from './reference.ts'
import { sdkMethods, sdkReference } from './sdk-reference.ts'
import { sdkContract } from './sdk-types.ts'

const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')) as {
  version: string
}
const server = { url: 'http://127.0.0.1:8080', version }

const isCheck = process.argv.includes('--check')
let isStale = false

function write(file: string, text: string): void {
  const path = join(root, file)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  isStale = true
  process.stdout.write(`${isCheck ? 'out of date' : 'written'}: ${file}\n`)
  if (isCheck) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

// The CLI lists the event types of the SDK, so the SDK is written before the CLI is loaded.
write('sdk/src/generated/contract.ts', await sdkContract(operations))
const { cliReference } = await import('./cli-reference.ts')

const generated: Record<string, string> = {
  'docs/guarantees.md': guaranteesPage(),
  'docs/reference/openapi.json': `${JSON.stringify(toOpenApi(operations, server), null, 2)}\n`,
  'docs/reference/operations.md': operationReference(operations),
  'docs/reference/errors.md': errorReference(),
  'docs/reference/events.md': eventReference(),
  'docs/reference/sdk.md': sdkReference(),
  'docs/reference/cli.md': `${cliReference()}\n`,
  'site/src/generated/sdk-methods.ts': sdkMethods(),
  'tests/acceptance/COVERAGE.md': coverageMarkdown(),
  'deploy/monitoring/prometheus/recording.yml': recordingRules(),
  'deploy/monitoring/prometheus/alerts.yml': alertRules(),
  'deploy/monitoring/grafana/reelkeep.json': dashboard(),
  [EDGE_CONFIGURATION]: edgeConfiguration(),
}

for (const [file, text] of Object.entries(generated)) write(file, text)
if (isCheck && isStale) {
  process.stdout.write('Run `pnpm generate` and commit the changes.\n')
  process.exitCode = 1
}
