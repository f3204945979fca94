import { expect, it } from 'vitest'
import { messageReader, type TranscriptionMessage, writeMessage } from './process-messages.ts'

const messages: TranscriptionMessage[] = [
  { kind: 'progress', seconds: 5 },
  { kind: 'phrase', phrase: { startSeconds: 0.1, endSeconds: 2, text: 'A café,\nin “Zürich” 🎬' } },
  { kind: 'done', costs: { cpuSeconds: 1, memoryBytesMax: 2 } },
]

it.each([1, 2, 3, 7, 1000])('messageReader reads messages in chunks of %i bytes', (bytes) => {
  const written = Buffer.from(messages.map(writeMessage).join(''))
  const read: TranscriptionMessage[] = []
  const readChunk = messageReader((message) => read.push(message))
  for (let at = 0; at < written.length; at += bytes) readChunk(written.subarray(at, at + bytes))
  expect(read).toEqual(messages)
})

it.each(['output of a library', 'null', '{"kind":"phrase"}', ''])('messageReader ignores the line %j', (line) => {
  const read: TranscriptionMessage[] = []
  const readChunk = messageReader((message) => read.push(message))
  readChunk(Buffer.from(`${line}\n${writeMessage({ kind: 'progress', seconds: 5 })}`))
  expect(read).toEqual([{ kind: 'progress', seconds: 5 }])
})

it('messageReader does not report an incomplete message', () => {
  const read: TranscriptionMessage[] = []
  messageReader((message) => read.push(message))(Buffer.from('{"kind":"progress","seconds":5}'))
  expect(read).toEqual([])
})
