/** Invitations are mailed after the commit. The mail server is real; without one, nothing fails. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { invitations } from '@reelkeep/contract'
import { freePort, TestApi } from '@reelkeep/testkit'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it } from 'vitest'

type Received = { readonly to: string[]; readonly from: string; readonly content: string }

/** A mail server on a free port that keeps what it receives. */
async function openMailServer() {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      void text(stream).then((content) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        received.push({ to: envelope.rcptTo.map(({ address }) => address), from, content })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { received, url: `smtp://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

const MAIL_FROM = 'Reelkeep <videos@example.org>'
const input = { email: 'kim@example.org', role: 'editor' }

/** Quoted-printable text without its soft line breaks. */
const plain = (content: string) => content.replaceAll('=\r\n', '').replaceAll('=3D', '=')

describe('with SMTP_URL and MAIL_FROM', () => {
  it('POST invitations/ sends the link to the address, once, also if the request is repeated', async () => {
    await using mail = await openMailServer()
    await using testApi = await TestApi.open({ SMTP_URL: mail.url, MAIL_FROM })
    const caller = await testApi.newOrganization()
    await caller.patch('organization/', { name: 'Büro & Söhne' })
    const send = () =>
      caller.post<invitations.NewInvitation>('invitations/', input, { 'idempotency-key': 'the same request' })
    const { body } = await send()
    expect((await send()).body).toEqual(body)
    expect(body.mailed).toBe(true)
    const second = await caller.post<invitations.NewInvitation>('invitations/', { ...input, email: 'ada@example.org' })
    await expect.poll(() => mail.received).toHaveLength(2)
    const [first, last] = [...mail.received].sort((a, b) => (a.to < b.to ? 1 : -1))
    expect([first?.to, last?.to, first?.from]).toEqual([['kim@example.org'], ['ada@example.org'], 'videos@example.org'])
    expect(plain(first?.content ?? '')).toContain(body.link)
    expect(plain(last?.content ?? '')).toContain(second.body.link)
    expect(first?.content).toMatch(/^Subject: =\?UTF-8\?/m)
  })

  it('POST invitations/ sends nothing for a refused request', async () => {
    await using mail = await openMailServer()
    await using testApi = await TestApi.open({ SMTP_URL: mail.url, MAIL_FROM })
    const caller = await testApi.newOrganization()
    expect((await caller.post('invitations/', { ...input, role: 'boss' })).status).toBe(400)
    expect((await caller.post('invitations/', { ...input, email: 'last@example.org' })).status).toBe(201)
    await expect.poll(() => mail.received.map(({ to }) => to)).toEqual([['last@example.org']])
  })

  it('POST invitations/ succeeds if the mail server does not answer', async () => {
    const SMTP_URL = `smtp://127.0.0.1:${await freePort()}`
    await using testApi = await TestApi.open({ SMTP_URL, MAIL_FROM })
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.post<invitations.NewInvitation>('invitations/', input)
    expect([status, body.mailed, body.link.includes('#rli_')]).toEqual([201, true, true])
  })
})
