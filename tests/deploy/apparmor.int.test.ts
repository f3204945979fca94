import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit/settings'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const profile = join(root, 'deploy/apparmor/reelkeep-worker')
/** Compiles for the features of a kernel with AppArmor, which this machine need not have. */
const features = ['--features-file', '/etc/apparmor.d/abi/3.0', '--skip-cache']

describe('the AppArmor profile of the worker', () => {
  it('is compiled by the parser, and defines what the image enters', async () => {
    const parser = (await run(join(root, 'stack/apparmor-tools'))).stdout.trim()
    const { stdout } = await run(parser, [...features, '--names', profile])
    expect(stdout.trim().split('\n')).toEqual(['reelkeep-program', 'reelkeep-worker'])
    const compiled = await run(parser, [...features, '--stdout', profile], { encoding: 'buffer' })
    expect(compiled.stdout.length).toBeGreaterThan(1000)
  })

  it('is entered by the command of the image only if it is loaded', async () => {
    const start = `source <(sed -n '/^enter_profile/,/^}/p' "$0"); set -euo pipefail; enter_profile; echo started`
    const { stdout, stderr } = await run('bash', ['-c', start, join(root, 'deploy/docker/reelkeep')])
    expect([stdout, stderr]).toEqual(['started\n', ''])
  })
})
