/** Tests that a busy API instance can be stopped without a failed request. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { KEEP_ALIVE_SECONDS } from '@reelkeep/server/platform/http/limits.ts'
import { ApiProcess, newOrganization, openOwner } from '@reelkeep/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

let path: string
let authorization: string
beforeAll(async () => {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  path = `/api/v1/${organizationId}/assets/folders/`
  authorization = `token ${token}`
})

type Outcome = { status: number; connection: string | undefined }

/** Sends one request over a keep-alive connection. */
function send(agent: Agent, baseUrl: string, body: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const sending = request(baseUrl + path, { method: 'POST', agent, headers }, (response) => {
      response
        .on('error', reject)
        .on('end', () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }))
      response.resume()
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** Whether the API refuses new connections. */
function isRefused({ baseUrl }: ApiProcess): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl)
  const knocking = connect(Number(port), hostname)
  return once(knocking, 'connect').then(
    () => {
      knocking.destroy()
      return false
    },
    () => true,
  )
}

/** A load balancer that polls the readiness of each instance and uses the ready ones. */
function openBalancer(instances: readonly ApiProcess[]) {
  let ready = [...instances]
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const responses = await Promise.all(
        instances.map((instance) =>
          fetch(`${instance.operationsUrl}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      )
      ready = instances.filter((_, index) => responses[index])
      await sleep(100)
    }
  })()
  return {
    choose: (turn: number) => ready[turn % ready.length]?.baseUrl ?? '',
    close: async () => {
      isOver = true
      await watching
    },
  }
}

describe('the API after SIGTERM', () => {
  it('exits with 0, and no request sent through a load balancer fails', async () => {
    // Long enough for the load balancer to detect that the instance is not ready, even on a busy machine.
    const settings = { DRAIN_SECONDS: '10' }
    const [stopping, staying] = [await ApiProcess.start(settings), await ApiProcess.start(settings)]
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const balancer = openBalancer([stopping, staying])
    const outcomes: Outcome[] = []
    const failures: unknown[] = []
    let isOver = false
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let turn = caller; !isOver; turn++) {
        await send(agent, balancer.choose(turn), '{"title":"x"}').then(
          (outcome) => outcomes.push(outcome),
          (failure: unknown) => failures.push(failure),
        )
        await sleep(20)
      }
    })
    await expect.poll(() => outcomes.length).toBeGreaterThan(100)
    const exitCode = await stopping.stop('SIGTERM')
    const before = outcomes.length
    await expect.poll(() => outcomes.length + failures.length).toBeGreaterThan(before + 100)
    isOver = true
    await Promise.all(callers)
    await balancer.close()
    agent.destroy()
    await staying[Symbol.asyncDispose]()
    expect(failures).toEqual([])
    expect(exitCode).toBe(0)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([201]))
    expect(outcomes.some(({ connection }) => connection === 'close')).toBe(true)
  })

  it('finishes a running request, reports that it is not ready in the meantime, then exits', async () => {
    const api = await ApiProcess.start({ DRAIN_SECONDS: '10' })
    const agent = new Agent({ keepAlive: true })
    const headers = { authorization, 'content-type': 'application/json' }
    const sending = request(api.baseUrl + path, { method: 'POST', agent, headers })
    const slow = once(sending, 'response') as Promise<[IncomingMessage]>
    await new Promise((sent) => sending.write('{"title":', sent))
    // When the instance responds to this request, it has also received the earlier one.
    expect((await fetch(api.baseUrl)).status).toBe(404)
    const stopped = api.stop('SIGTERM')
    await expect.poll(async () => (await fetch(`${api.operationsUrl}/readyz`)).status, { interval: 20 }).toBe(503)
    expect((await fetch(`${api.operationsUrl}/livez`)).status).toBe(200)
    expect(await isRefused(api)).toBe(false)
    await expect.poll(() => isRefused(api)).toBe(true)
    // The rest of the body is sent after the instance has stopped accepting connections.
    sending.end('"x"}')
    const [response] = await slow
    response.resume()
    expect(response.statusCode).toBe(201)
    expect(await stopped).toBe(0)
    expect(api.log).toContain('"msg":"stopping"')
    agent.destroy()
  })

  it('exits without waiting for idle connections to time out', async () => {
    const api = await ApiProcess.start({ DRAIN_SECONDS: '0' })
    const agent = new Agent({ keepAlive: true })
    expect((await send(agent, api.baseUrl, '{"title":"x"}')).status).toBe(201)
    const start = performance.now()
    expect(await api.stop('SIGTERM')).toBe(0)
    expect(performance.now() - start).toBeLessThan(KEEP_ALIVE_SECONDS * 1000)
    agent.destroy()
  })

  it('exits without waiting for the first request of an open connection', async () => {
    const api = await ApiProcess.start({ DRAIN_SECONDS: '0' })
    const { hostname, port } = new URL(api.baseUrl)
    const silent = connect(Number(port), hostname)
    const received: Buffer[] = []
    silent.on('data', (bytes) => received.push(bytes))
    const closed = once(silent, 'close')
    await once(silent, 'connect')
    // When the instance responds to this request, it has also accepted the earlier connection.
    expect((await fetch(api.baseUrl)).status).toBe(404)
    expect(await api.stop('SIGTERM')).toBe(0)
    await closed
    // If the request timeout had closed the connection, the client would have received a 408.
    expect(Buffer.concat(received).toString()).toBe('')
  })
})

describe('an API with invalid settings', () => {
  it('names the settings to fix on standard error, and exits with 1', async () => {
    const failing = ApiProcess.start({ PORT: 'eighty', LOG_LEVEL: 'loud', DATABASE_URL: '' })
    await expect(failing).rejects.toThrow(/DATABASE_URL: is required.*PORT:.*LOG_LEVEL:/s)
  })
})
