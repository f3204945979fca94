/** What Node, Deno and Bun can do. `web.ts` beside it has the same names. */
import { closeAgents, newAgents, sendPieces } from './node-send.ts'
import { md5Of, openReadable, piecesOf } from './node-source.ts'
import type { Form, Source } from './transfer.ts'

// biome-ignore lint/style/noProcessEnv: the one place of the library that reads it.
export const readEnvironment = (name: string): string | undefined => process.env[name]

export async function openSource(file: string | Blob): Promise<Source> {
  const readable = await openReadable(file)
  const agents = newAgents()
  const { name, bytes, assertUnchanged } = readable

  return {
    name,
    bytes,
    assertUnchanged,
    md5: async (range, signal) => (await md5Of(readable, range, signal)).toString('hex'),
    post: (form, manner) => {
      const { type, head, tail } = writeForm(form, name)
      const headers = { 'content-type': type, 'content-length': head.length + bytes + tail.length }
      async function* pieces() {
        yield head
        yield* piecesOf(readable, { begin: 0, end: bytes })
        yield tail
      }
      // What frames the file is not the person's.
      const onSent = (sent: number) =>
        manner.onSent(Math.min(Math.max(sent - head.length, 0), bytes))
      const outgoing = { method: 'POST', url: form.link, headers, pieces } as const
      return sendPieces(outgoing, { ...manner, onSent }, agents)
    },
    put: async (url, range, manner) => {
      // Storage refuses what it does not receive as it was read.
      const digest = await md5Of(readable, range, manner.signal)
      const headers = {
        'content-length': range.end - range.begin,
        'content-md5': digest.toString('base64'),
      }
      const outgoing = {
        method: 'PUT',
        url,
        headers,
        pieces: () => piecesOf(readable, range),
      } as const
      return sendPieces(outgoing, manner, agents)
    },
    close: async () => {
      closeAgents(agents)
      await readable.close()
    },
  }
}

/** What comes before the file and after it. */
function writeForm({ fields }: Form, name: string) {
  const boundary = `reelkeep-${crypto.randomUUID()}`
  const field = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const values = Object.entries(fields).map(
    ([key, value]) => `${field(`name="${key}"`)}\r\n${value}\r\n`,
  )
  const file = `${field(`name="file"; filename="${quotable(name)}"`)}Content-Type: application/octet-stream\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(values.join('') + file),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  }
}

/** As browsers write a file's name, so that it cannot end its line. */
const quotable = (name: string) =>
  (name || 'file').replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character))
