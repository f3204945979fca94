/** Posts the upload form to storage with the tools that callers use: curl and `fetch`. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A form field; a value that is not text is a file. */
export type FormField = readonly [name: string, value: string | Uint8Array]
export type Form = { readonly link: string; readonly fields: readonly FormField[] }

export type StorageResponse = { readonly status: number; readonly text: string }

/** Timeout of a post, far above the duration of any post in the tests. */
const POST_SECONDS_MAX = 60

/** Returns the form as specified: every field of the payload except `upload_link`, and the file last. */
export function formOf({ upload_link: link, ...fields }: { readonly upload_link: string }, file: Uint8Array): Form {
  return { link, fields: [...Object.entries<string>(fields), ['file', file]] }
}

/** Returns the form with other values for some fields; undefined removes a field. */
export function withFields(form: Form, values: Record<string, string | undefined>): Form {
  const fields = form.fields
    .map(([name, value]): FormField => [name, name in values ? (values[name] ?? '') : value])
    .filter(([name]) => !(name in values) || values[name] !== undefined)
  return { ...form, fields }
}

/** Posts the form with the real curl, which sends the fields in order. */
export async function postByCurl({ link, fields }: Form, headers: readonly string[] = []): Promise<StorageResponse> {
  const directory = mkdtempSync(join(tmpdir(), 'reelkeep-form-'))
  const asOption = ([name, value]: FormField, place: number) => {
    if (typeof value === 'string') return ['--form-string', `${name}=${value}`]
    const path = join(directory, String(place))
    writeFileSync(path, value)
    return ['--form', `${name}=@${path};filename=video.mp4`]
  }
  const options = [
    ...['--silent', '--show-error', '--max-time', String(POST_SECONDS_MAX)],
    ...['--write-out', '\n%{http_code}'],
    ...headers.flatMap((header) => ['--header', header]),
    ...fields.flatMap(asOption),
  ]
  try {
    return await curl([...options, link])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Storage may respond before it has read everything; curl then reports an error although it has the response. */
function curl(options: readonly string[]): Promise<StorageResponse> {
  return new Promise((resolve, reject) => {
    execFile('curl', [...options], (error, output) => {
      const end = output.lastIndexOf('\n')
      const status = Number(output.slice(end + 1))
      if (status > 0) resolve({ status, text: output.slice(0, end) })
      else reject(error ?? new Error(`curl reports ${output}`))
    })
  })
}

/** Posts the form like a script in a browser. */
export async function postByFetch({ link, fields }: Form): Promise<StorageResponse> {
  const body = new FormData()
  for (const [name, value] of fields) {
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, new Blob([new Uint8Array(value)]), 'video.mp4')
  }
  const answer = await fetch(link, { method: 'POST', body })
  return { status: answer.status, text: await answer.text() }
}
