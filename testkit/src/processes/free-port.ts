import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the kernel's range for ephemeral ports: no other process is given the port between the moment it is found free
 * and the moment a process listens on it.
 */
const FIRST = 12_000
const COUNT = 20_000

/** Test processes run in parallel; each starts at its own port. */
let turn = process.pid * 101

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (turn++ % COUNT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
