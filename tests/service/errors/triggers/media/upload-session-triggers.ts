import { type Caller, openSession, postForm, TestApi } from '@reelkeep/testkit'
import { limitedCaller } from '../limited.ts'
import type { ErrorTriggers } from '../triggers.ts'

const SESSIONS = 'assets/upload-sessions/'
const unknown = `${SESSIONS}019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55/`
const input = { title: 'x', resolutions: ['360p'] }
const twoParts = { file_size_bytes: 20_000_000, numbers: [1, 2] }

/** A file size in bytes that exceeds the limit of the service. */
const TOO_LARGE = 5 * 1024 ** 4

async function newSession(caller: Caller): Promise<string> {
  return `${SESSIONS}${(await openSession(caller)).upload_session.uuid}/`
}

async function closedSession(caller: Caller): Promise<string> {
  const session = await newSession(caller)
  await caller.delete(session)
  return session
}

async function completedSession(caller: Caller): Promise<string> {
  const opened = await openSession(caller)
  const session = `${SESSIONS}${opened.upload_session.uuid}/`
  await postForm(opened)
  await caller.post(`${session}complete/`)
  return session
}

export const uploadSessionTriggers = {
  createUploadSession: {
    invalid_title: ({ caller }) => caller.post(SESSIONS, { ...input, title: 'x'.repeat(256) }),
    target_folder_not_found: ({ caller }) => caller.post(SESSIONS, { ...input, folder: '11111111111' }),
    outside_folder: async ({ caller }) => (await limitedCaller(caller)).limited.post(SESSIONS, input),
    file_too_large: ({ caller }) => caller.post(SESSIONS, { ...input, file_size_bytes: TOO_LARGE }),
    external_id_taken: async ({ caller }) => {
      await caller.post(SESSIONS, { ...input, external_id: 'lecture-1' })
      return caller.post(SESSIONS, { ...input, external_id: 'lecture-1' })
    },
    quota_exceeded: async ({ caller, superuser }) => {
      await superuser.query('update organizations set quota_assets = 0 where id = $1', [caller.organizationId])
      return caller.post(SESSIONS, input)
    },
    drm_not_configured: async () => {
      await using testApi = await TestApi.open({ DRM_PROVIDER: 'none' })
      const caller = await testApi.newOrganization()
      return await caller.post(SESSIONS, { ...input, content_protection_type: 'drm' })
    },
  },
  listUploadSessions: {
    invalid_cursor: ({ caller }) => caller.get(`${SESSIONS}?cursor=junk`),
  },
  readUploadSession: {
    upload_session_not_found: ({ caller }) => caller.get(unknown),
  },
  cancelUploadSession: {
    upload_session_not_found: ({ caller }) => caller.delete(unknown),
    upload_session_closed: async ({ caller }) => caller.delete(await completedSession(caller)),
  },
  renewUploadSession: {
    upload_session_not_found: ({ caller }) => caller.post(`${unknown}renew/`),
    upload_session_closed: async ({ caller }) => caller.post(`${await closedSession(caller)}renew/`),
  },
  signUploadParts: {
    upload_session_not_found: ({ caller }) => caller.post(`${unknown}parts/`, twoParts),
    upload_session_closed: async ({ caller }) => caller.post(`${await closedSession(caller)}parts/`, twoParts),
    file_too_large: async ({ caller }) =>
      caller.post(`${await newSession(caller)}parts/`, { ...twoParts, file_size_bytes: TOO_LARGE }),
    file_size_changed: async ({ caller }) => {
      const session = await newSession(caller)
      await caller.post(`${session}parts/`, twoParts)
      return caller.post(`${session}parts/`, { ...twoParts, file_size_bytes: 20_000_001 })
    },
    part_out_of_range: async ({ caller }) =>
      caller.post(`${await newSession(caller)}parts/`, { ...twoParts, numbers: [3] }),
  },
  listUploadParts: {
    upload_session_not_found: ({ caller }) => caller.get(`${unknown}parts/`),
    upload_session_closed: async ({ caller }) => caller.get(`${await closedSession(caller)}parts/`),
    upload_not_in_parts: async ({ caller }) => caller.get(`${await newSession(caller)}parts/`),
  },
  completeUploadSession: {
    upload_session_not_found: ({ caller }) => caller.post(`${unknown}complete/`),
    upload_session_closed: async ({ caller }) => caller.post(`${await closedSession(caller)}complete/`),
    upload_not_arrived: async ({ caller }) => caller.post(`${await newSession(caller)}complete/`),
  },
} satisfies Partial<ErrorTriggers>
