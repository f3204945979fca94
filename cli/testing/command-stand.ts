/** A command in this process, against a server that answers what a test wants; what was asked and said is kept. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Cli } from '../src/cli.ts'
import { type Look, plainLook } from '../src/terminal/look.ts'

type Answer = { readonly status?: number; readonly body: unknown } | 'silence' | 'cut'

/** `call` is the method and the path within the organization, such as `GET assets/`. */
export async function openCommandStand(answerTo: (call: string) => Answer) {
  const home = await mkdtemp(join(tmpdir(), 'reelkeep-stand-'))
  const heard: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://stand')
    const call = `${request.method} ${url.pathname.replace(/^.*\/acme1234\//, '')}`
    heard.push(`${call}${url.search}`)
    const answer = answerTo(call)
    if (answer === 'cut') response.destroy()
    else if (answer !== 'silence')
      request.resume().on('end', () => {
        const { status = 200, body } = answer
        const type = status < 400 ? 'application/json' : 'application/problem+json'
        response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const interrupting = new AbortController()
  const notes: string[] = []
  const results: unknown[] = []
  const drawn: string[] = []
  const look = plainLook(new Date(), 80)
  const keep = (value: unknown, human: (look: Look) => string) => {
    results.push(value)
    drawn.push(human(look))
  }
  const cli: Cli = {
    environment: {
      REELKEEP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      REELKEEP_ORGANIZATION: 'acme1234',
      REELKEEP_TOKEN: 'rk_token',
      XDG_STATE_HOME: home,
      XDG_CONFIG_HOME: home,
    },
    stdin: process.stdin,
    interrupted: interrupting.signal,
    output: () => ({
      result: keep,
      item: keep,
      text: (text) => void results.push(text),
      note: (text) => void notes.push(typeof text === 'string' ? text : text(look)),
      warning: (text) => void notes.push(text),
      isJson: false,
      isWatched: false,
    }),
    endWith: () => {},
  }
  return {
    cli,
    home,
    heard,
    notes,
    results,
    /** The results as people see them in a terminal of 80 columns. */
    drawn,
    /** As Ctrl-C does. */
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

/** A refusal as the service says it. */
export const refusal = (status: number, code: string) => ({
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
