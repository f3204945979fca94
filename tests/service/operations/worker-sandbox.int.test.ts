import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { programOf, stackEnv } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { expect, it } from 'vitest'

/** Hides a program that the sandbox needs from the process that follows. */
const withoutSocat = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/socat']

it('a worker whose sandbox cannot open ends before it opens its operations port, so it is never healthy', async () => {
  // Opening the port would fail with another error, because the port is in use.
  const taken = createServer().listen(0)
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const worker = promisify(execFile)(
    'bwrap',
    [...withoutSocat, process.execPath, programOf('server/src/main/worker.ts')],
    { env: { ...stackEnvironment, ...stackEnv(), WORKER_OPERATIONS_PORT: String(port) } },
  )
  await expect(worker).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('/usr/bin/socat is not installed'),
  })
  taken.close()
})
