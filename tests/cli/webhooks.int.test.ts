import { freePort, resetDatabase, stackEnv, WorkerProcess, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

type Webhook = { readonly id: string; readonly url: string; readonly secret: string }

const settings = { WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*' }
const env = withDatabase(stackEnv(), 'cli_webhooks')
await resetDatabase(env)
const fixture = await opened(CliFixture.open(settings, env))
await opened(
  WorkerProcess.start({
    env,
    settings: { ...settings, WORKER_QUEUES: 'light', WEBHOOK_FIRST_PAUSE_SECONDS: '0.1' },
  }),
)
const { run, json, start, caller } = fixture

it('webhooks listen prints verified events, rejects forged ones, and deletes its webhook', async () => {
  const port = await freePort()
  const listening = start(['webhooks', 'listen', '--port', String(port), '--types', 'folder.*'])
  await expect.poll(listening.stderr).toContain(`Listening on 127.0.0.1:${port}`)
  await caller.post('assets/folders/', { title: 'Delivered' })
  await expect.poll(listening.stdout).toMatch(/^✓ .+ {2}folder\.created +\w{11} {2}Delivered\n/)

  const forged = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: '{"type":"folder.created"}',
    headers: {
      'webhook-id': 'one',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    },
  })
  expect(forged.status).toBe(401)
  await expect.poll(listening.stdout).toContain('✗ 401  The signature does not match')

  const [webhook] = await json<Webhook[]>(['webhooks', 'list'])
  // The service records a delivery a moment after the response of the receiver.
  const deliveries = () => json(['webhooks', 'deliveries', webhook?.id ?? ''])
  await expect.poll(deliveries).toMatchObject([{ type: 'folder.created', state: 'delivered' }])
  expect((await listening.interrupted()).code).toBe(130)
  expect(await json(['webhooks', 'list'])).toEqual([])
})

it.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('webhooks listen deletes its webhook after %s, and exits with %d', async (signal, code) => {
  const listening = start(['webhooks', 'listen', '--json'])
  await expect.poll(() => json(['webhooks', 'list'])).toHaveLength(1)
  listening.child.kill(signal)
  const ended = await listening.ended()
  expect(ended.code).toBe(code)
  expect(JSON.parse(ended.stderr)).toEqual({
    error: { message: 'Interrupted.', exit_code: code },
  })
  expect(await json(['webhooks', 'list'])).toEqual([])
})

it('webhooks listen deletes its webhook if stdout is closed', async () => {
  const listening = start(['webhooks', 'listen', '--types', 'folder.*'])
  await expect.poll(listening.stderr).toContain('Listening on')
  listening.child.stdout?.destroy()
  await caller.post('assets/folders/', { title: 'Unheard' })
  expect((await listening.ended()).code).toBe(141)
  expect(await json(['webhooks', 'list'])).toEqual([])
})

it('webhooks listen works with the secret of an existing webhook', async () => {
  const port = await freePort()
  const created = await run(['webhooks', 'create', `http://127.0.0.1:${port}/`])
  const [webhook] = await json<Webhook[]>(['webhooks', 'list'])
  const id = webhook?.id ?? ''
  const secret = created.stdout.trim()
  const args = ['webhooks', 'listen', '--port', String(port), '--with-secret', '--json']
  const listening = start(args, { input: `${secret}\n` })
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status,
        () => 'away',
      ),
    )
    .toBe(405)
  const result = await run(['webhooks', 'listen', '--port', String(port)])
  expect(result).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${port} is already in use.`),
  })
  const impossible = await run(['webhooks', 'listen', '--port', '65536'])
  expect(impossible).toMatchObject({ code: 2, stderr: expect.stringContaining('is invalid') })
  const tested = await json<{ event_id: string }>(['webhooks', 'test', id])
  await expect.poll(listening.stdout).toContain('"verified":true,"status":204')
  await json(['webhooks', 'replay', id, tested.event_id])
  const tellings = () => listening.stdout().split(`"id":"${tested.event_id}"`).length - 1
  await expect.poll(tellings).toBe(2)
  await listening.interrupted()
  expect(await json(['webhooks', 'show', id])).toMatchObject({ id })
  const changed = await run(['webhooks', 'update', id, '--disable', '--types', 'asset.*'])
  expect(changed.stdout).toMatch(/types +asset\.\*\nstate +disabled \(caller\)\n/)
  const rotated = await run(['webhooks', 'rotate-secret', id])
  expect(rotated.stdout).toMatch(/^whsec_/)
  expect((await run(['webhooks', 'delete', id])).code).toBe(2)
  expect(await json(['webhooks', 'delete', id, '--yes'])).toEqual({ id, deleted: true })
})

it('webhooks listen prints what to do if the service cannot reach this machine', async () => {
  await using elsewhere = await CliFixture.open({}, env)
  const { code, stderr } = await elsewhere.run(['webhooks', 'listen'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/--url https:\/\/….*set-webhook-networks/)
})
