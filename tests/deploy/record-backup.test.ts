import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { afterAll, expect, it } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'recorded-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** The time in seconds since 1970 up to which the newest backup is complete. */
function recordedTime(kind: string, ...begun: string[]): number {
  const env = { PATH: '/usr/bin:/bin', BACKUP_METRICS_DIRECTORY: directory }
  execFileSync(join(root, 'deploy/backup/record-backup'), [kind, ...begun], { env, stdio: 'pipe' })
  const text = readFileSync(join(directory, `reelkeep_backup_${kind}.prom`), 'utf8')
  return Number(/^reelkeep_backup_finished_at\{kind="\w+"\} (\d+)$/m.exec(text)?.[1])
}

it('record-backup writes the given start time of the backup, or the current time if none is given', () => {
  expect(recordedTime('storage', '1700000000')).toBe(1_700_000_000)
  const before = Math.floor(Date.now() / 1000)
  expect(recordedTime('database')).toBeGreaterThanOrEqual(before)
})

it('record-backup rejects an invalid time', () => {
  expect(() => recordedTime('storage', 'yesterday')).toThrow('BEGUN must be the output of `date +%s`')
})
