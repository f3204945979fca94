/** What browsers and edge runtimes can do. `node.ts` beside it has the same names. */
import { FileChangedError, FileError } from '../uploads/errors.ts'
import type { Source } from './transfer.ts'
import { type Acquaintance, sendBody } from './web-send.ts'

/** There is none to read. */
export const readEnvironment = (_: string): string | undefined => undefined

export async function openSource(file: string | Blob): Promise<Source> {
  if (typeof file === 'string')
    throw new FileError('Only Node opens a file by its path; give a File or a Blob here.')
  const name = 'name' in file && typeof file.name === 'string' ? file.name : ''
  const storage: Acquaintance = { hasTakenBytes: false, isInDoubt: false }

  return {
    name,
    bytes: file.size,
    /** The runtime reads nothing more of a file that has changed. */
    assertUnchanged: async () => {
      await file
        .slice(0, 1)
        .arrayBuffer()
        .catch((error: Error) => {
          throw new FileChangedError(
            `${name || 'The file'} can no longer be read: ${error.message}. Did it change while it was sent?`,
            { cause: error },
          )
        })
    },
    /** Web Crypto does not know it. */
    md5: async () => undefined,
    post: ({ link, fields }, manner) => {
      const form = new FormData()
      for (const [key, value] of Object.entries(fields)) form.append(key, value)
      form.append('file', file)
      // The form's other fields are counted by the runtime too; they are not the person's.
      const onSent = (sent: number) => manner.onSent(Math.min(sent, file.size))
      const outgoing = { method: 'POST', url: link, body: form, bytes: file.size }
      return sendBody(outgoing, { ...manner, onSent }, storage)
    },
    put: (url, { begin, end }, manner) => {
      const outgoing = { method: 'PUT', url, body: file.slice(begin, end), bytes: end - begin }
      return sendBody(outgoing, manner, storage)
    },
    close: async () => {},
  }
}
