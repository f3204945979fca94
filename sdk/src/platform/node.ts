/** Platform functions for Node, Deno and Bun; `web.ts` exports the same names. */
import { closeAgents, newAgents, sendChunks } from './node-send.ts'
import { md5Of, openReadable, readChunks } from './node-source.ts'
import type { Form, Source } from './transfer.ts'

// biome-ignore lint/style/noProcessEnv: the only place in the library that reads the environment.
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
    post: (form, options) => {
      const { type, head, tail } = writeForm(form, name)
      const headers = { 'content-type': type, 'content-length': head.length + bytes + tail.length }
      async function* chunks() {
        yield head
        yield* readChunks(readable, { begin: 0, end: bytes })
        yield tail
      }
      // Progress counts only the bytes of the file.
      const onSent = (sent: number) => options.onSent(Math.min(Math.max(sent - head.length, 0), bytes))
      const outgoing = { method: 'POST', url: form.link, headers, chunks } as const
      return sendChunks(outgoing, { ...options, onSent }, agents)
    },
    put: async (url, range, options) => {
      // Storage rejects the part if its content does not match the digest.
      const digest = await md5Of(readable, range, options.signal)
      const headers = {
        'content-length': range.end - range.begin,
        'content-md5': digest.toString('base64'),
      }
      const outgoing = {
        method: 'PUT',
        url,
        headers,
        chunks: () => readChunks(readable, range),
      } as const
      return sendChunks(outgoing, options, agents)
    },
    close: async () => {
      closeAgents(agents)
      await readable.close()
    },
  }
}

/** Returns the parts of the form before and after the file. */
function writeForm({ fields }: Form, name: string) {
  const boundary = `reelkeep-${crypto.randomUUID()}`
  const field = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const values = Object.entries(fields).map(([key, value]) => `${field(`name="${key}"`)}\r\n${value}\r\n`)
  const file = `${field(`name="file"; filename="${quotable(name)}"`)}Content-Type: application/octet-stream\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(values.join('') + file),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  }
}

/** Escapes a file name like browsers do. */
const quotable = (name: string) => (name || 'file').replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character))
