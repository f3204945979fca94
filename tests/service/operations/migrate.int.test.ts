/**
 * Tests `server/migrate` with an unreachable database. It is the first command that an operator runs, and so the first
 * to fail if the address of the database is wrong.
 */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Chunk, commandEnvironment, root, stackEnv, TcpProxy } from '@reelkeep/testkit'
import { expect, it } from 'vitest'

it('server/migrate names the setting to check if the database is unreachable, and reports that nothing was changed', async () => {
  const env = {
    ...commandEnvironment,
    DATABASE_OWNER_URL: 'postgres://reelkeep_owner:secret@127.0.0.1:1/reelkeep',
    DBMATE_WAIT_TIMEOUT: '1s',
  }
  const run = promisify(execFile)(join(root, 'server/migrate'), { env })
  const { code, stderr } = (await run.catch((error: unknown) => error)) as {
    code: number
    stderr: string
  }
  expect(code).toBe(1)
  expect(stderr).toContain('connection refused')
  expect(stderr).toContain('nothing was changed')
  expect(stderr).toContain('DATABASE_OWNER_URL')
  expect(stderr).not.toContain('secret')
})

it('server/migrate uses the server that accepts writes if the URL has several', async () => {
  const url = stackEnv().DATABASE_OWNER_URL.replace('@', '@127.0.0.1:1,')
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`
  const env = { ...commandEnvironment, PATH: path, DATABASE_OWNER_URL: url, DBMATE_WAIT_TIMEOUT: '1s' }
  await promisify(execFile)(join(root, 'server/migrate'), { env })
})

it('server/src/main/migrate.ts connects again if the connection to the database is lost', async () => {
  await using proxy = await TcpProxy.open(stackEnv().DATABASE_OWNER_URL)
  let lost = 0
  const loseConnection = (chunk: Chunk) => {
    lost += 1
    chunk.resetPeer()
  }
  proxy.rules = [{ times: 1, action: loseConnection }]
  const env = { ...commandEnvironment, DATABASE_OWNER_URL: proxy.url }
  await promisify(execFile)(process.execPath, [join(root, 'server/src/main/migrate.ts')], { env })
  expect(lost).toBe(1)
})
