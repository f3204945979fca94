/** Runs the receiver of docs/guides/webhooks.md unchanged: it must receive events and refuse forged requests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { events, webhooks } from '@reelkeep/contract'
import { freePort, resetDatabase, root, stackEnv, TestApi, WorkerProcess, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'

const LINES_MAX = 15

const settings = { WEBHOOK_DEVELOPMENT_NETWORKS: '127.0.0.0/8:*' }
const env = withDatabase(stackEnv(), 'webhook_guide')
await resetDatabase(env)
const testApi = await opened(TestApi.open(settings, env))
await opened(
  WorkerProcess.start({
    env,
    settings: { ...settings, WORKER_QUEUES: 'light', WEBHOOK_FIRST_PAUSE_SECONDS: '0.1' },
  }),
)

const guide = readFileSync(join(root, 'docs/guides/webhooks.md'), 'utf8')
const [, code = ''] = /```js title="receiver.mjs"\n(.*?)```/s.exec(guide) ?? []

it('the receiver of the guide receives an event, and refuses a request with a wrong signature', async () => {
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
  const caller = await testApi.newOrganization()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const { body: webhook } = await caller.post<webhooks.NewWebhook>('webhooks/', { url })
  const receiver = await startReceiver(port, webhook.secret)
  const { body: folder } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'New' })
  await expect.poll(receiver.output).toContain(`folder.created {"uuid":"${folder.uuid}"`)
  const { body: log } = await caller.get<{ results: events.Event[] }>('events/')
  const body = JSON.stringify(log.results.find(({ type }) => type === 'folder.created'))
  expect(body).toContain('New')
  expect(await postSigned(url, webhook.secret, body, body)).toBe(204)
  expect(await postSigned(url, webhook.secret, body, body.replace('New', 'Old'))).toBe(401)
})

/** Starts the receiver in this folder, because the library that it imports is installed here. */
async function startReceiver(port: number, secret: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(root, 'tests'),
    env: { PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  return { output: () => written }
}

/** Posts the body `sent` with the signature of the body `signed`. */
async function postSigned(url: string, secret: string, signed: string, sent: string) {
  const [id, at] = ['an-event', new Date()]
  const answer = await fetch(url, {
    method: 'POST',
    body: sent,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, signed),
    },
  })
  return answer.status
}
