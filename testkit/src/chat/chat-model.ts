import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export type ChatRequest = {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly authorization: string | undefined
}

/** A response of the server: the text of the answer, or a status without one. */
export type ChatResponse = string | { readonly status: number } | { readonly body: string }

/** A server with OpenAI's API for chats that answers as the test says, and records what it was asked. */
export class ChatModel implements AsyncDisposable {
  readonly url: string
  readonly requests: ChatRequest[] = []
  respond: (request: ChatRequest) => ChatResponse | Promise<ChatResponse> = () => ({ status: 500 })
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(): Promise<ChatModel> {
    let model: ChatModel | undefined
    const respond = async (request: IncomingMessage, response: ServerResponse) => {
      const body = (await json(request)) as Omit<ChatRequest, 'authorization'>
      const asked = { ...body, authorization: request.headers.authorization }
      model?.requests.push(asked)
      const isChat = request.method === 'POST' && request.url === '/v1/chat/completions'
      const given = isChat && model ? await model.respond(asked) : { status: 404 }
      if (typeof given === 'object' && 'status' in given) {
        response.writeHead(given.status).end()
        return
      }
      response.setHeader('content-type', 'application/json')
      response.end(typeof given === 'object' ? given.body : JSON.stringify(completion(asked.model, given)))
    }
    const server = createServer((request, response) => void respond(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    model = new ChatModel(server)
    return model
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** As llama.cpp, vLLM and OpenAI respond. */
const completion = (model: string, content: string) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_780_000_000, model },
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 },
})
