import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below those that the kernel gives to whoever asks for any: between the moment at which a port is
 * found to be free and the moment at which a process listens on it, nobody else is given it.
 */
const FIRST = 12_000
const COUNT = 20_000

/** Processes of tests run side by side; each goes through the ports from a place of its own. */
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
