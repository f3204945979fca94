/** Platform functions for browsers and edge runtimes; `node.ts` exports the same names. */
import { FileChangedError, FileError } from '../uploads/errors.ts'
import { md5Of } from './md5.ts'
import type { Source } from './transfer.ts'
import { type StorageState, sendBody } from './web-send.ts'

/** Browsers have no environment variables. */
export const readEnvironment = (_: string): string | undefined => undefined

export async function openSource(file: string | Blob): Promise<Source> {
  if (typeof file === 'string') throw new FileError('Files can only be opened by path in Node. Pass a File or a Blob.')
  const name = 'name' in file && typeof file.name === 'string' ? file.name : ''
  const storage: StorageState = { hasAcceptedBytes: false, hasFailedEarly: false }

  return {
    name,
    bytes: file.size,
    /** Reads one byte, because the runtime fails when it reads a changed file. */
    assertUnchanged: async () => {
      await file
        .slice(0, 1)
        .arrayBuffer()
        .catch((error: Error) => {
          throw new FileChangedError(
            `${name || 'The file'} can no longer be read: ${error.message}. It may have changed during the upload.`,
            { cause: error },
          )
        })
    },
    md5: ({ begin, end }, signal) => md5Of(file.slice(begin, end), signal),
    post: ({ link, fields }, options) => {
      const form = new FormData()
      for (const [key, value] of Object.entries(fields)) form.append(key, value)
      form.append('file', file)
      // The runtime also counts the other form fields; progress counts only the file.
      const onSent = (sent: number) => options.onSent(Math.min(sent, file.size))
      const outgoing = { method: 'POST', url: link, body: form, bytes: file.size }
      return sendBody(outgoing, { ...options, onSent }, storage)
    },
    put: (url, { begin, end }, options) => {
      const outgoing = { method: 'PUT', url, body: file.slice(begin, end), bytes: end - begin }
      return sendBody(outgoing, options, storage)
    },
    close: async () => {},
  }
}
