import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit/settings'
import { describe, expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)
const profile = join(root, 'deploy/apparmor/reelkeep-worker')
const command = join(root, 'deploy/docker/reelkeep')
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

  it('is entered by the command of the image, which also starts without AppArmor', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'apparmor-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const start = `source <(sed -n '/^enter_profile/,/^}/p' "$0"); set -euo pipefail; enter_profile "$1"; echo started`
    for (const file of [join(directory, 'exec'), join(directory, 'missing/exec')]) {
      const { stdout, stderr } = await run('bash', ['-c', start, command, file])
      expect([stdout, stderr]).toEqual(['started\n', ''])
    }
    expect(readFileSync(join(directory, 'exec'), 'utf8')).toBe('exec reelkeep-worker\n')
    expect(readFileSync(command, 'utf8')).toContain('!= worker ]] || enter_profile /proc/self/attr/apparmor/exec\n')
  })
})
