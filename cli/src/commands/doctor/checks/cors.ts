/** Whether a page of an origin may do what it needs, asked as browsers ask: before the real request. */
import { ask } from '../ask.ts'
import type { Check } from '../check.ts'
import { fault, fine } from '../finding.ts'
import type { Patient } from '../patient.ts'

type Preflight = { readonly url: string; readonly method: string; readonly headers: string }

export const apiCors: Check = {
  name: 'api-cors',
  what: 'whether pages of the origin may call the API',
  needs: ['api-is-reelkeep'],
  look: async (patient) => {
    const { url, organization } = patient.profile
    const isAllowed = await allows(patient, {
      url: `${url.replace(/\/+$/, '')}/api/v1/${organization}/assets/upload-sessions/`,
      method: 'POST',
      headers: 'authorization,content-type,idempotency-key',
    })
    if (isAllowed) return fine(`Pages of ${patient.origin} may call the API.`)
    return fault(
      `Browsers let no page of ${patient.origin} call the API.`,
      `Add ${patient.origin} to API_ORIGINS of the API and restart it. If it is there, see what a proxy in front does with OPTIONS.`,
    )
  },
}

/** The form is posted, parts are put. */
export const storageCors: Check = {
  name: 'storage-cors',
  what: 'whether pages of the origin may upload to storage',
  needs: ['storage-signature'],
  look: async (patient) => {
    const { upload_link: link = '', key = '' } = patient.seen.session?.client_payload ?? {}
    const part = { url: `${link}/${key}`, method: 'PUT', headers: 'content-type' }
    const form = { url: link, method: 'POST', headers: 'content-type' }
    const asked = patient.seen.isWithoutForms ? [part] : [form, part]
    for (const preflight of asked)
      if (!(await allows(patient, preflight)))
        return fault(
          `Browsers let no page of ${patient.origin} upload to storage (${preflight.method}).`,
          `Run setup-storage with ${patient.origin} among UPLOAD_ORIGINS, or without that setting. If it is there, see what a proxy in front of storage does with OPTIONS.`,
        )
    return fine(`Pages of ${patient.origin} may upload to storage.`)
  },
}

async function allows({ origin = '', signal }: Patient, { url, method, headers }: Preflight) {
  const answer = await ask(url, signal, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })
  const told = (name: string) => answer.headers.get(`access-control-allow-${name}`) ?? ''
  const allowed = (list: string) => list.split(',').map((item) => item.trim().toLowerCase())
  const hasAll = (list: string, wanted: string) =>
    list.trim() === '*' || wanted.split(',').every((item) => allowed(list).includes(item))
  return (
    answer.status < 300 &&
    [origin, '*'].includes(told('origin')) &&
    hasAll(told('methods'), method.toLowerCase()) &&
    hasAll(told('headers'), headers)
  )
}
