/**
 * `stack/run node tools/bench/seed.ts --organization ID --count N`: fills an organization of the development stack
 * with folders, to try the service at size. Ten million take about ten minutes.
 */
import { parseArgs } from 'node:util'
import { superuserUrl } from '@reelkeep/testkit/settings'
import { seedFolders } from './folders/seed-folders.ts'

const { values } = parseArgs({
  options: { organization: { type: 'string' }, count: { type: 'string', default: '10000' } },
})
const count = Number(values.count)
if (!values.organization || !Number.isInteger(count) || count < 1 || !superuserUrl) {
  process.stderr.write('usage: stack/run node tools/bench/seed.ts --organization ID [--count N], with the stack up\n')
  process.exit(1)
}
await seedFolders(superuserUrl, { organization: values.organization, count }, (line) =>
  process.stderr.write(`${line}\n`),
)
