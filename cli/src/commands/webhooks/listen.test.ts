import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCommandFixture, problemResponse } from '../../../testing/command-fixture.ts'
import { exitCodes } from '../../exit-codes.ts'
import { listenCommand } from './listen.ts'

const KEY = Buffer.alloc(24, 7)
const SECRET = `whsec_${KEY.toString('base64')}`
const webhook = { id: 'hook', url: 'http://127.0.0.1/', secret: SECRET }

async function start({ deletion = { status: 204, body: null as unknown }, given = '' } = {}) {
  const fixture = await openCommandFixture((call) =>
    call === 'POST webhooks/' ? { status: 201, body: webhook } : deletion,
  )
  onTestFinished(() => fixture[Symbol.asyncDispose]())
  const { cli } = fixture
  const environment = { ...cli.environment, REELKEEP_WEBHOOK_SECRET: given }
  const args = given ? ['--with-secret'] : []
  const ended = fixture.run(() => listenCommand({ ...cli, environment }), ...args)
  return { ...fixture, ended }
}

/** Waits until the command has printed its port. */
async function listen(how: Parameters<typeof start>[0]) {
  const fixture = await start(how)
  const port = () => /127\.0\.0\.1:(\d+)/.exec(fixture.notes.join())?.[1]
  await expect.poll(port).toBeDefined()
  const post = (body: string) => fetch(`http://127.0.0.1:${port()}/`, { method: 'POST', body, headers: signed(body) })
  return { ...fixture, post }
}

function signed(body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', KEY).update(`one.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': 'one',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

describe('webhooks listen', () => {
  it('responds with 400 to a signed body that is not JSON, and prints it', async () => {
    const { post, results, interrupt, ended } = await listen({ given: SECRET })
    expect((await post('{"type":"folder.created","data":{}}')).status).toBe(204)
    expect((await post('not JSON')).status).toBe(400)
    expect(results).toMatchObject([
      { verified: true },
      { verified: false, status: 400, why: expect.stringContaining('not JSON') },
    ])
    interrupt()
    await ended
  })

  it.each([KEY.toString('base64'), `"${SECRET}"`, 'whsec_', 'whsec_!'])(
    'rejects an invalid secret before it listens: %s',
    async (given) => {
      const { ended } = await start({ given })
      await expect(ended).rejects.toMatchObject({
        exitCode: exitCodes.usage,
        message: expect.stringContaining('whsec_'),
      })
    },
  )

  it('reports that its webhook could not be deleted, and how to delete it', async () => {
    const { interrupt, ended, notes } = await listen({
      deletion: problemResponse(403, 'missing_scope'),
    })
    interrupt()
    await ended
    expect(notes.at(-1)).toBe(
      'Cannot delete webhook hook: About missing_scope. Delete it with: reelkeep webhooks delete hook',
    )
  })
})
