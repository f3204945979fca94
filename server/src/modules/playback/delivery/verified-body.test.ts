import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { VerifiedBody } from './verified-body.ts'

const chunks = ['first ', 'second ', 'third'].map((text) => Buffer.from(text))
const md5 = createHash('md5').update(Buffer.concat(chunks)).digest('hex')

async function passed(body: Readable): Promise<{ text: string; error: unknown }> {
  let text = ''
  try {
    for await (const chunk of body) text += chunk
    return { text, error: undefined }
  } catch (error) {
    return { text, error }
  }
}

/** One chunk after the other: a stream that fails discards what has not been read. */
async function* inTurn(stored: readonly Buffer[]) {
  for (const chunk of stored) {
    yield chunk
    await setImmediate()
  }
}

const verified = (stored: readonly Buffer[]) =>
  Readable.from(inTurn(stored)).pipe(new VerifiedBody(md5, () => new Error('damaged')))

it('passes all bytes of an intact file', async () => {
  expect(await passed(verified(chunks))).toEqual({ text: 'first second third', error: undefined })
})

it('withholds the last bytes of a damaged file, and fails', async () => {
  const { text, error } = await passed(verified([...chunks.slice(0, 2), Buffer.from('other')]))
  expect(text).toBe('first second ')
  expect(error).toEqual(new Error('damaged'))
})

it('passes no byte of a damaged file that is sent at once', async () => {
  expect((await passed(verified([Buffer.from('other')]))).text).toBe('')
})
