import { expect, it } from 'vitest'
import { type ListenerMessage, messageReader, writeMessage } from './listener-messages.ts'

const messages: ListenerMessage[] = [
  { kind: 'progress', seconds: 5 },
  { kind: 'phrase', phrase: { startSeconds: 0.1, endSeconds: 2, text: 'A café,\nin “Zürich” 🎬' } },
  { kind: 'done', costs: { cpuSeconds: 1, memoryBytesMax: 2 } },
]

it.each([1, 2, 3, 7, 1000])('reads what was written, in pieces of %i bytes', (bytes) => {
  const written = Buffer.from(messages.map(writeMessage).join(''))
  const read: ListenerMessage[] = []
  const take = messageReader((message) => read.push(message))
  for (let at = 0; at < written.length; at += bytes) take(written.subarray(at, at + bytes))
  expect(read).toEqual(messages)
})

it.each(['A word of a library', 'null', '{"kind":"phrase"}', ''])('passes over %j', (line) => {
  const read: ListenerMessage[] = []
  const take = messageReader((message) => read.push(message))
  take(Buffer.from(`${line}\n${writeMessage({ kind: 'progress', seconds: 5 })}`))
  expect(read).toEqual([{ kind: 'progress', seconds: 5 }])
})

it('hands on no message that was cut off', () => {
  const read: ListenerMessage[] = []
  messageReader((message) => read.push(message))(Buffer.from('{"kind":"progress","seconds":5}'))
  expect(read).toEqual([])
})
