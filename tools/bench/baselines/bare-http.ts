import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** Starts a plain `node:http` server that sends results as JSON, with status 200 for GET and 201 otherwise. */
export function serveJson(port: number, answer: (request: IncomingMessage) => Promise<object>): void {
  const send = (response: ServerResponse, status: number, body: string) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  }
  const server = createServer((request, response) => {
    const status = request.method === 'GET' ? 200 : 201
    void answer(request).then((found) => send(response, status, JSON.stringify(found)))
  })
  server.listen(port, '127.0.0.1', () => process.stdout.write('listening\n'))
}

export async function jsonOf<Body>(request: IncomingMessage): Promise<Body> {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text) as Body
}
