/**
 * `reelkeep mcp`: for AI agents that start a program instead of connecting to `/mcp` of the service. Each line of stdin
 * is a message of the Model Context Protocol; it is sent to the service with the token of the login.
 */
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { type Profile, readProfile } from '../profile/profile.ts'

type Message = {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly _meta?: Readonly<Record<string, string>> }
}

/** Code of JSON-RPC for an error that a server defines. */
const SERVER_ERROR = -32000

export const mcpCommand = (cli: Cli): Command =>
  new Command('mcp')
    .description('Offer the videos to an AI agent that starts this command (Model Context Protocol)')
    .action(async () => {
      const profile = await readProfile(cli.environment)
      const { text: print } = cli.output()
      const running = new Set<Promise<void>>()
      for await (const line of createInterface({ input: cli.stdin, signal: cli.interrupted })) {
        if (line.trim() === '') continue
        const task = relay(line, profile, cli.interrupted).then((responses) => responses.forEach(print))
        running.add(task)
        void task.finally(() => running.delete(task))
      }
      await Promise.all(running)
    })

/** Sends a message to the service. Returns the messages of the response. */
async function relay(line: string, { url, token }: Profile, signal: AbortSignal): Promise<readonly string[]> {
  const message = parse(line)
  try {
    const response = await fetch(`${url}/mcp`, {
      ...{ method: 'POST', body: line, signal },
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', 'user-agent': 'reelkeep-cli' },
        ...headersOf(message),
      },
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream'))
      return [...text.matchAll(/^data: *(\{.*)$/gm)].map(([, data = '']) => data)
    if (type.startsWith('application/json')) return [text]
    return response.ok ? [] : errorOf(message, detailOf(text) ?? `The service responded with ${response.status}.`)
  } catch (error) {
    if (signal.aborted) return []
    return errorOf(message, `The service at ${url} cannot be reached: ${(error as Error).message}.`)
  }
}

/** From revision 2026-07-28, a request names its revision, its method and the tool in headers too. */
function headersOf({ method, params }: Message): Record<string, string> {
  const revision = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (revision === undefined || method === undefined) return {}
  return {
    ...{ 'mcp-protocol-version': revision, 'mcp-method': method },
    ...(params?.name !== undefined && { 'mcp-name': params.name }),
  }
}

/** A notification has no id and gets no response. */
const errorOf = ({ id }: Message, message: string): string[] =>
  id === undefined ? [] : [JSON.stringify({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message } })]

/** The service reports what is not a message. */
function parse(line: string): Message {
  try {
    return (JSON.parse(line) as Message | null) ?? {}
  } catch {
    return {}
  }
}

function detailOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { detail?: string }).detail
  } catch {
    return undefined
  }
}
