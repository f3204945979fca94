import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * First port to try. The ports are below the kernel's range for ephemeral ports, so no other process gets a port
 * between the moment it is found free and the moment a process listens on it.
 */
const FIRST = 12_000
const COUNT = 20_000

/** Test processes run in parallel, so each starts its search at another port. */
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
