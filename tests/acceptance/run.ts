/**
 * `pnpm accept [names of test files] [options of vitest]`: runs the acceptance suite against the service in
 * `REELKEEP_BASE_URL`, or else against one that it starts.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { externalService, root } from '@reelkeep/testkit/settings'

const subject = externalService.baseUrl ?? 'a service that it starts on the test stack'
process.stdout.write(`The acceptance suite tests ${subject}.\n`)

const given = process.argv.slice(2)
const names = given.filter((one) => !one.startsWith('-')).map((name) => `tests/acceptance/${name}`)
const options = given.filter((one) => one.startsWith('-'))
const files = names.length > 0 ? names : ['tests/acceptance/']
const { status, error } = spawnSync(
  join(root, 'node_modules/.bin/vitest'),
  ['run', '--project', 'acceptance', ...files, ...options],
  { cwd: root, stdio: 'inherit' },
)
if (error) throw error
process.exitCode = status ?? 1
