import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { rejection } from '../../testing/scripted-server.ts'
import { ReelkeepError, SignatureError, verifyWebhook } from '../reelkeep.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const other = 'whsec_AAKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const body = '{"id":"6f1c","number":42,"type":"folder.created","data":{"title":"Übungen"}}'

function signed(secrets: readonly string[], ageSeconds = 0, text = body) {
  const at = new Date(Date.now() - ageSeconds * 1000)
  return {
    'webhook-id': '6f1c',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((by) => new Webhook(by).sign('6f1c', at, text)).join(' '),
  }
}
const refused = async (...given: Parameters<typeof verifyWebhook>) => {
  const error = await rejection(verifyWebhook(...given))
  expect(error).toBeInstanceOf(SignatureError)
  return String(error)
}

describe('verifyWebhook', () => {
  it('returns the event, for all types of bodies and headers', async () => {
    const headers = signed([secret])
    const event = JSON.parse(body)
    expect(await verifyWebhook(body, headers, secret)).toEqual(event)
    expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret)).toEqual(event)
    expect(await verifyWebhook(Buffer.from(body), headers, secret)).toEqual(event)
    const spelled = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])
    expect(await verifyWebhook(body, Object.fromEntries(spelled), secret)).toEqual(event)
    const { buffer } = new TextEncoder().encode(body)
    expect(await verifyWebhook(buffer, headers, secret)).toEqual(event)
  })

  it('accepts signatures with two secrets during a rotation', async () => {
    const headers = signed([other, secret])
    for (const known of [secret, other, [secret], [other, secret]])
      expect(await verifyWebhook(body, headers, known)).toMatchObject({ number: 42 })
  })

  it('accepts any of several secrets', async () => {
    expect(await verifyWebhook(body, signed([secret]), [other, secret])).toMatchObject({
      number: 42,
    })
  })
})

describe('an invalid webhook request', () => {
  it('is rejected if it was modified, or signed with another secret', async () => {
    const headers = signed([secret])
    expect(await refused(body.replace('42', '43'), headers, secret)).toContain('signature does not match')
    await refused(body, { ...headers, 'webhook-id': '6f1d' }, secret)
    await refused(body, { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) - 1}` }, secret)
    await refused(body, signed([other]), secret)
  })

  it('is rejected if it is too old or too far in the future', async () => {
    expect(await refused(body, signed([secret], 302), secret)).toContain('too far from the current time')
    await refused(body, signed([secret], -302), secret)
    await refused(body, signed([secret], 60), secret, { toleranceSeconds: 30 })
    await verifyWebhook(body, signed([secret], 290), secret)
    await verifyWebhook(body, signed([secret]), secret, { toleranceSeconds: Number.NaN })
    await refused(body, { ...signed([secret]), 'webhook-timestamp': 'soon' }, secret)
  })

  it('is rejected if its signature is invalid', async () => {
    const headers = signed([secret])
    const [, value] = headers['webhook-signature'].split(',')
    for (const signature of ['v1,', 'v1,!', `v2,${value}`, `${value}`, ' '])
      await refused(body, { ...headers, 'webhook-signature': signature }, secret)
    expect(await refused(body, {}, secret)).toContain('lacks the webhook headers')
  })
})

describe('a wrong call of verifyWebhook', () => {
  const misused = async (...given: unknown[]) => {
    const error = await rejection(verifyWebhook(...(given as unknown as Parameters<typeof verifyWebhook>)))
    expect(error).toBeInstanceOf(ReelkeepError)
    expect(error).not.toBeInstanceOf(SignatureError)
    return String(error)
  }

  it('throws a ReelkeepError if the secret is invalid', async () => {
    for (const secrets of ['hunter2', ['hunter2', secret], [undefined], 'whsec_', ''])
      expect(await misused(body, signed([secret]), secrets)).toContain('whsec_')
    for (const secrets of [undefined, null, []])
      expect(await misused(body, signed([secret]), secrets)).toContain('No webhook secret')
  })

  it('throws a ReelkeepError if the headers are missing', async () => {
    for (const headers of [undefined, null]) expect(await misused(body, headers, secret)).toContain('headers')
  })

  it('throws a ReelkeepError if the signed body is not JSON', async () => {
    const text = 'id=6f1c&number=42'
    expect(await misused(text, signed([secret], 0, text), secret)).toContain('not JSON')
  })

  it('throws a ReelkeepError if the body was already parsed', async () => {
    for (const parsed of [JSON.parse(body), undefined, null])
      expect(await misused(parsed, signed([secret]), secret)).toContain('express.raw')
  })
})
