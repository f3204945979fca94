import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { stackBeside } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import type { Server } from './compare.ts'

/** Offset from the port of the stack of this version. */
const PORT_OFFSET = 50

/**
 * Starts the API of another checkout with its own stack, and with as many folders as the benchmark has. Runs with the
 * fixtures of that checkout, which know its migrations and settings.
 */
export async function startOtherVersion(folder: string, folders: number): Promise<Server & Disposable> {
  const stack = stackBeside('other', PORT_OFFSET)
  const fixture = (path: string) => JSON.stringify(join(resolve(folder), 'tools/bench', path))
  const script = `
    const { openBenchService } = await import(${fixture('support/bench-service.ts')})
    const { seedFolders } = await import(${fixture('folders/seed-folders.ts')})
    const { env, organizationId, pid, postmaster, assetsUrl, headers } = await openBenchService('bench_api')
    const databaseUrl = env.DATABASE_SUPERUSER_URL
    await seedFolders(databaseUrl, { organization: organizationId, count: ${folders} }, () => {})
    console.log(JSON.stringify({ pid, postmaster, assetsUrl, headers, databaseUrl }))
    setInterval(() => {}, 1000)`
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, '--input-type=module', '--eval', script], {
    cwd: folder,
    env: { ...stackEnvironment, TEST_STACK_NAME: stack.name, TEST_STACK_PORT: String(stack.port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { ...JSON.parse(line), [Symbol.dispose]: () => void child.kill() }
}
