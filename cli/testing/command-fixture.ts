/** Runs commands in this process against a scripted server, and records requests and output. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Cli } from '../src/cli.ts'
import { plainStyle, type Style } from '../src/terminal/style.ts'

type ScriptedResponse = { readonly status?: number; readonly body: unknown }
type FixtureResponse = ScriptedResponse | 'hang' | 'disconnect'

/** Starts the scripted server. `call` is the method and the path within the organization, such as `GET assets/`. */
export async function openCommandFixture(respondTo: (call: string) => FixtureResponse) {
  const home = await mkdtemp(join(tmpdir(), 'reelkeep-fixture-'))
  const requests: string[] = []
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://fixture')
    const call = `${request.method} ${url.pathname.replace(/^.*\/acme1234\//, '')}`
    requests.push(`${call}${url.search}`)
    const scripted = respondTo(call)
    if (scripted === 'disconnect') response.destroy()
    else if (scripted !== 'hang') void answer(request, response, scripted).then((body) => bodies.push(...body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const interrupting = new AbortController()
  const notes: string[] = []
  const results: unknown[] = []
  const rendered: string[] = []
  const style = plainStyle(new Date(), 80)
  const keep = (value: unknown, human: (style: Style) => string) => {
    results.push(value)
    rendered.push(human(style))
  }
  const cli: Cli = {
    environment: {
      REELKEEP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      REELKEEP_ORGANIZATION: 'acme1234',
      REELKEEP_TOKEN: 'rlk_token',
      XDG_STATE_HOME: home,
      XDG_CONFIG_HOME: home,
    },
    stdin: process.stdin,
    interrupted: interrupting.signal,
    output: () => ({
      result: keep,
      item: keep,
      text: (text) => void results.push(text),
      note: (text) => void notes.push(typeof text === 'string' ? text : text(style)),
      warning: (text) => void notes.push(text),
      isJson: false,
      isInteractive: false,
    }),
    setExitCode: () => {},
  }
  return {
    cli,
    home,
    requests,
    /** Bodies of requests that are JSON, in the order of their arrival. */
    bodies,
    notes,
    results,
    /** The results as rendered in a terminal with 80 columns. */
    rendered,
    /** Simulates Ctrl-C. */
    interrupt: () => interrupting.abort(),
    run: (command: (cli: Cli) => Command, ...args: string[]) =>
      command(cli).exitOverride().parseAsync(args, { from: 'user' }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await rm(home, { recursive: true })
    },
  }
}

/** Reads a request and answers it. Returns the body if it is JSON. A client that disconnects gets no response. */
async function answer(request: IncomingMessage, response: ServerResponse, { status = 200, body }: ScriptedResponse) {
  const received = await text(request).catch(() => '')
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
  const isJson = request.headers['content-type']?.startsWith('application/json')
  return isJson && received ? [JSON.parse(received)] : []
}

/** A problem document like those of the service. */
export const problemResponse = (status: number, code: string) => ({
  status,
  body: {
    type: `urn:${code}`,
    title: code,
    status,
    detail: `About ${code}.`,
    code,
    errors: [],
    request_id: 'request-1',
  },
})
