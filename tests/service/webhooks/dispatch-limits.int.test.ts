/** Tests how many webhooks a dispatcher serves at a time, and receivers with an invalid certificate. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { eventually, openTestDispatcher } from './in-process-dispatcher.ts'
import { openReceiver } from './receiver.ts'
import { openWebhookFixture } from './webhook-fixture.ts'

const fixture = await opened(openWebhookFixture('dispatch_limits'))

it('claims of several organizations at the same time do not exceed the maximum number of sessions', async () => {
  await using receiver = await openReceiver()
  let [open, mostOpen] = [0, 0]
  receiver.setResponder((_, response) => {
    mostOpen = Math.max(mostOpen, ++open)
    void sleep(200).then(() => {
      open--
      response.writeHead(204).end()
    })
  })
  const webhooks = []
  for (let organization = 0; organization < 4; organization++) {
    const id = await fixture.newOrganizationId()
    for (let count = 0; count < 3; count++) webhooks.push(await fixture.newWebhook(id, receiver.url))
    await fixture.recordTokenEvent(id)
  }
  await using _ = openTestDispatcher(fixture, { sessionsMax: 3 })
  await eventually(() => receiver.arrivals.length).toBe(12)
  for (const webhook of webhooks)
    await eventually(() => fixture.deliveries(webhook)).toMatchObject([{ state: 'delivered' }])
  expect(mostOpen).toBeLessThanOrEqual(3)
})

it('one poll claims the webhooks of all due organizations, even if one organization could use all sessions', async () => {
  await using receiver = await openReceiver()
  const webhooks = []
  for (let organization = 0; organization < 8; organization++) {
    const id = await fixture.newOrganizationId()
    webhooks.push(await fixture.newWebhook(id, receiver.url))
    await fixture.recordTokenEvent(id)
  }
  await using _ = openTestDispatcher(fixture, { sessionsMax: 16, pollSeconds: 3600 })
  for (const webhook of webhooks)
    await eventually(() => fixture.deliveries(webhook)).toMatchObject([{ state: 'delivered' }])
})

it('a receiver with a certificate that is not trusted gets no event, and the attempt says why', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'reelkeep-certificate-'))
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
  const days = ['-days', '1', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...newKey, ...days], { stdio: 'ignore' })
  let requests = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    requests++
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const id = await fixture.newOrganizationId()
  const webhook = await fixture.newWebhook(id, `https://127.0.0.1:${port}/`)
  await fixture.recordTokenEvent(id)
  await using _ = openTestDispatcher(fixture, { firstPauseSeconds: 60 })
  await eventually(() => fixture.attempts(webhook)).toMatchObject([
    { attempt: 1, status: null, error: 'TLS failed: DEPTH_ZERO_SELF_SIGNED_CERT.' },
  ])
  expect(await fixture.deliveries(webhook)).toMatchObject([{ state: 'waiting' }])
  expect(requests).toBe(0)
  server.close()
})
