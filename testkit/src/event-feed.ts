import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { credentialHeaders } from './caller.ts'

export type FeedMessage = {
  /** Id of the event; undefined for messages that are not events of the log, such as progress. */
  readonly id: string | undefined
  readonly type: string | undefined
  readonly data: { readonly [name: string]: unknown }
  readonly atMs: number
}

export type FeedOptions = {
  readonly baseUrl: string
  readonly caller: { readonly organizationId: string; readonly token: string }
  readonly query?: string
  readonly lastEventId?: string | undefined
}

/** A server-sent events client as described by the HTML standard, but without automatic reconnection. */
export class EventFeed implements AsyncDisposable {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly messages: FeedMessage[] = []
  readonly comments: string[] = []
  /** The `Last-Event-ID` for a reconnection. */
  lastEventId: string | undefined
  /** Whether the server has ended or broken the stream. */
  isOver = false
  readonly #answer: IncomingMessage

  private constructor(answer: IncomingMessage, lastEventId: string | undefined) {
    this.#answer = answer
    this.status = answer.statusCode ?? 0
    this.headers = answer.headers
    this.lastEventId = lastEventId
    answer.setEncoding('utf8')
    answer.on('close', () => {
      this.isOver = true
    })
    answer.on('error', () => {})
  }

  /** Resolves when the response headers have arrived. */
  static async open(options: FeedOptions): Promise<EventFeed> {
    const feed = await EventFeed.openUnread(options)
    let rest = ''
    feed.#answer.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) feed.#add(block)
    })
    return feed
  }

  /** Opens a stream without reading it. */
  static async openUnread({ baseUrl, caller, query, lastEventId }: FeedOptions): Promise<EventFeed> {
    const url = `${baseUrl}/api/v1/${caller.organizationId}/events/stream/${query ?? ''}`
    const headers = {
      ...credentialHeaders(caller.token),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    }
    const sent = request(url, { headers, agent: false })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return new EventFeed(answer, lastEventId)
  }

  #add(block: string): void {
    const lines = block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
      return [name, value] as const
    })
    const fields = new Map(lines)
    const comment = fields.get('')
    if (comment !== undefined) this.comments.push(comment)
    const id = fields.get('id')
    if (id !== undefined) this.lastEventId = id
    const data = fields.get('data')
    if (data === undefined) return
    const type = fields.get('event')
    this.messages.push({ id, type, data: JSON.parse(data), atMs: performance.now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#answer.destroy()
  }
}
