/** A second checkout of the repository, with an older version. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'

const run = promisify(execFile)
const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim()

/**
 * The version before the newest migration, which is the hardest to upgrade from. Undefined if the clone's history does
 * not contain it.
 */
export async function revisionBeforeLastMigration(): Promise<string | undefined> {
  const added = ['log', '-1', '--format=%H', '--diff-filter=A', '--', 'server/migrations']
  const newest = await git(...added).catch(() => '')
  if (newest === '') return undefined
  return await git('rev-parse', '--verify', '--quiet', `${newest}^`).catch(() => undefined)
}

export type OldVersion = AsyncDisposable & { readonly folder: string; readonly revision: string }

export async function checkOut(revision: string): Promise<OldVersion> {
  const folder = join(root, '.stack', `version-${revision.slice(0, 12)}`)
  if (existsSync(folder)) await git('worktree', 'remove', '--force', folder)
  await git('worktree', 'add', '--detach', folder, revision)
  await run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: folder })
  const remove = () => git('worktree', 'remove', '--force', folder)
  return { folder, revision, [Symbol.asyncDispose]: async () => void (await remove()) }
}

export async function migrateFrom(folder: string, env: Record<string, string>): Promise<void> {
  await run(join(folder, 'server/migrate'), { env: { ...stackEnvironment, ...env } })
}
