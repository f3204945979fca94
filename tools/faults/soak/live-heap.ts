/** Measures the live heap of a Node process by its inspector. Garbage is collected first: V8 may keep it for hours. */

const REQUEST_SECONDS_MAX = 30

/** Setting that starts a process with its inspector on this port. */
export const withInspector = (port: number) => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` })

type HeapUsage = { readonly usedSize: number; readonly backingStorageSize?: number }

/** Bytes of live objects and of the buffers that they own. */
export async function liveHeapBytes(port: number): Promise<number> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
  try {
    await once(socket, 'open')
    await request(socket, 'HeapProfiler.enable')
    await request(socket, 'HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize = 0 } = (await request(socket, 'Runtime.getHeapUsage')) as HeapUsage
    await request(socket, 'HeapProfiler.disable')
    return usedSize + backingStorageSize
  } finally {
    socket.close()
  }
}

async function request(socket: WebSocket, method: string): Promise<unknown> {
  const id = Math.trunc(Math.random() * 2 ** 31)
  socket.send(JSON.stringify({ id, method }))
  for (;;) {
    const { data } = (await once(socket, 'message')) as MessageEvent
    const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: object }
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
    if (answer.id === id) return answer.result
  }
}

function once(socket: WebSocket, type: 'open' | 'message'): Promise<Event> {
  const { promise, resolve, reject } = Promise.withResolvers<Event>()
  const signal = AbortSignal.timeout(REQUEST_SECONDS_MAX * 1000)
  signal.addEventListener('abort', () => reject(new Error('The inspector did not respond')))
  socket.addEventListener(type, resolve, { once: true, signal })
  socket.addEventListener('error', () => reject(new Error('The inspector closed the connection')), {
    once: true,
    signal,
  })
  return promise
}
