/** Checks CORS for an origin with the preflight requests of a browser. */

import type { Check } from '../check.ts'
import { failed, ok } from '../check-result.ts'
import type { DoctorContext } from '../context.ts'
import { request } from '../request.ts'

type Preflight = { readonly url: string; readonly method: string; readonly headers: string }

export const apiCors: Check = {
  name: 'api-cors',
  description: 'CORS of the API',
  needs: ['api-is-reelkeep'],
  run: async (context) => {
    const { url, organization } = context.profile
    const isAllowed = await allows(context, {
      url: `${url.replace(/\/+$/, '')}/api/v1/${organization}/assets/upload-sessions/`,
      method: 'POST',
      headers: 'authorization,content-type,idempotency-key',
    })
    if (isAllowed) return ok(`Pages of ${context.origin} can call the API.`)
    return failed(
      `Browsers block calls to the API from pages of ${context.origin}.`,
      `Add ${context.origin} to API_ORIGINS of the API and restart it. If it is already there, check how a proxy in front of the API handles OPTIONS.`,
    )
  },
}

/** Checks both methods: forms are sent with POST, parts with PUT. */
export const storageCors: Check = {
  name: 'storage-cors',
  description: 'CORS of storage',
  needs: ['storage-signature'],
  run: async (context) => {
    const { upload_link: link = '', key = '' } = context.shared.session?.client_payload ?? {}
    const part = { url: `${link}/${key}`, method: 'PUT', headers: 'content-type' }
    const form = { url: link, method: 'POST', headers: 'content-type' }
    const preflights = context.shared.lacksForms ? [part] : [form, part]
    for (const preflight of preflights)
      if (!(await allows(context, preflight)))
        return failed(
          `Browsers block uploads to storage from pages of ${context.origin} (${preflight.method}).`,
          `Run setup-storage with ${context.origin} in UPLOAD_ORIGINS, or without that setting. If it is already there, check how a proxy in front of storage handles OPTIONS.`,
        )
    return ok(`Pages of ${context.origin} can upload to storage.`)
  },
}

async function allows({ origin = '', signal }: DoctorContext, { url, method, headers }: Preflight) {
  const response = await request(url, signal, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })
  const allowHeader = (name: string) => response.headers.get(`access-control-allow-${name}`) ?? ''
  const allowed = (list: string) => list.split(',').map((item) => item.trim().toLowerCase())
  const hasAll = (list: string, wanted: string) =>
    list.trim() === '*' || wanted.split(',').every((item) => allowed(list).includes(item))
  return (
    response.status < 300 &&
    [origin, '*'].includes(allowHeader('origin')) &&
    hasAll(allowHeader('methods'), method.toLowerCase()) &&
    hasAll(allowHeader('headers'), headers)
  )
}
