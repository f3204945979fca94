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
import { cliReference } from './cli-reference.ts'
import { EDGE_CONFIGURATION, edgeConfiguration } from './edge-repeats.ts'
import { errorReference, eventReference, operationReference } from './reference.ts'
import { sdkReference } from './sdk-reference.ts'
import { sdkContract } from './sdk-types.ts'

const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')) as {
  version: string
}
const server = { url: 'http://127.0.0.1:8080', version }

const generated: Record<string, string> = {
  'docs/guarantees.md': guaranteesPage(),
  'docs/reference/openapi.json': `${JSON.stringify(toOpenApi(operations, server), null, 2)}\n`,
  'docs/reference/operations.md': operationReference(operations),
  'docs/reference/errors.md': errorReference(),
  'docs/reference/events.md': eventReference(),
  'docs/reference/sdk.md': sdkReference(),
  'docs/reference/cli.md': `${cliReference()}\n`,
  'sdk/src/generated/contract.ts': await sdkContract(operations),
  'tests/acceptance/COVERAGE.md': coverageMarkdown(),
  'deploy/monitoring/prometheus/recording.yml': recordingRules(),
  'deploy/monitoring/prometheus/alerts.yml': alertRules(),
  'deploy/monitoring/grafana/reelkeep.json': dashboard(),
  [EDGE_CONFIGURATION]: edgeConfiguration(),
}

const isCheck = process.argv.includes('--check')
const stale = Object.entries(generated).filter(([file, text]) => {
  const path = join(root, file)
  const isCurrent = existsSync(path) && readFileSync(path, 'utf8') === text
  if (!isCurrent && !isCheck) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return !isCurrent
})

for (const [file] of stale) process.stdout.write(`${isCheck ? 'out of date' : 'written'}: ${file}\n`)
if (isCheck && stale.length > 0) {
  process.stdout.write('Run `pnpm generate` and commit the changes.\n')
  process.exitCode = 1
}
